import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A query with the JDBC driver for Flight SQL: {@code java -cp DRIVER NamedEngine.java HOST:PORT ENGINE SQL [NUMBER]}. Prints a line for each row, or
 * {@code failed: why}. A number is bound as the only parameter.
 */
public class NamedEngine {
  public static void main(String[] arguments) throws Exception {
    String url = "jdbc:arrow-flight-sql://" + arguments[0] + "/?useEncryption=false&framehold-engine=" + arguments[1];
    try (Connection connection = DriverManager.getConnection(url)) {
      if (arguments.length > 3) {
        try (PreparedStatement statement = connection.prepareStatement(arguments[2])) {
          statement.setLong(1, Long.parseLong(arguments[3]));
          print(statement.executeQuery());
        }
      } else {
        try (Statement statement = connection.createStatement()) {
          print(statement.executeQuery(arguments[2]));
        }
      }
    } catch (SQLException error) {
      System.out.println("failed: " + error.getMessage().replace('\n', ' '));
    }
  }

  static void print(ResultSet rows) throws SQLException {
    int columns = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      StringBuilder line = new StringBuilder();
      for (int column = 1; column <= columns; column++) {
        if (column > 1) line.append('|');
        line.append(rows.getString(column));
      }
      System.out.println(line);
    }
  }
}
