import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Reads trades with pgjdbc, and prints what it saw, one fact a line. */
public final class JdbcReader {
  private static final String SLOW =
      "select sum(a.range * b.range) from range(1000000) a, range(1000000) b";

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", "framehold");
    try (Connection connection =
        DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + arguments[0] + "/any", properties)) {
      prepared(connection);
      parts(connection);
      failures(connection);
    }
  }

  /** From the fifth execution on by a named statement, from the sixth on in binary. */
  private static void prepared(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select id, symbol, price from trades where id = ? and symbol = ?")) {
      for (int run = 0; run < 8; run++) {
        statement.setLong(1, 5);
        statement.setString(2, "S2");
        try (ResultSet rows = statement.executeQuery()) {
          rows.next();
          if (run == 0 || run == 7)
            System.out.println(
                "row " + rows.getLong(1) + " " + rows.getString(2) + " " + rows.getBigDecimal(3));
        }
      }
    }
  }

  private static void parts(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(100);
      int count = 0;
      try (ResultSet rows = statement.executeQuery("select id from trades")) {
        while (rows.next()) count++;
      }
      System.out.println("parts " + count);
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private static void failures(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : new String[] {"select nope from trades", "delete from trades", "select * from absent"}) {
        try {
          statement.execute(text);
        } catch (SQLException error) {
          System.out.println("error " + error.getSQLState());
        }
      }
      statement.setQueryTimeout(1);
      try {
        statement.executeQuery(SLOW);
      } catch (SQLException error) {
        System.out.println("timeout " + error.getSQLState());
      }
    }
  }
}
