import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * Carries out cells of the access matrix with the JDBC driver: {@code java -cp DRIVER MatrixCells.java HOST:PORT}. A line of input is a cell,
 * {@code id TAB holder TAB token TAB kind TAB text}; a line of output is {@code id TAB outcome TAB what was said}. An empty token is none.
 */
public class MatrixCells {
  /** One connection for each holder, or why there is none. */
  record Holder(Connection connection, Throwable refusal) {}

  public static void main(String[] arguments) throws Exception {
    String url = "jdbc:arrow-flight-sql://" + arguments[0] + "/?useEncryption=false";
    Map<String, Holder> holders = new HashMap<>();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    StringBuilder answer = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] cell = line.split("\t", -1);
      Holder holder = holders.computeIfAbsent(cell[1], ignored -> open(url, cell[2]));
      Throwable refusal = holder.refusal();
      try {
        if (refusal == null) run(holder.connection(), cell[3], cell[4]);
      } catch (Throwable thrown) {
        refusal = thrown;
      }
      answer.append(cell[0]).append('\t').append(refusal == null ? "ok\t" : kind(refusal) + "\t" + texts(refusal)).append('\n');
    }
    for (Holder holder : holders.values()) if (holder.connection() != null) holder.connection().close();
    System.out.print("cells\n" + answer);
  }

  static Holder open(String url, String token) {
    Properties properties = new Properties();
    if (!token.isEmpty()) {
      properties.put("user", "anybody");
      properties.put("password", token);
    }
    try {
      return new Holder(DriverManager.getConnection(url, properties), null);
    } catch (Throwable thrown) {
      return new Holder(null, thrown);
    }
  }

  static void run(Connection connection, String kind, String text) throws SQLException {
    switch (kind) {
      case "query" -> {
        try (Statement statement = connection.createStatement()) {
          drain(statement.executeQuery(text));
        }
      }
      case "update" -> {
        try (Statement statement = connection.createStatement()) {
          statement.executeUpdate(text);
        }
      }
      case "prepare" -> {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
          drain(statement.executeQuery());
        }
      }
      case "many" -> {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
          statement.setString(1, "more");
          statement.addBatch();
          statement.executeBatch();
        }
      }
      case "tables" -> drain(connection.getMetaData().getTables(null, null, text, null));
      case "columns" -> drain(connection.getMetaData().getColumns(null, null, text, null));
      case "catalogs" -> drain(connection.getMetaData().getCatalogs());
      case "table types" -> drain(connection.getMetaData().getTableTypes());
      default -> throw new IllegalArgumentException(kind);
    }
  }

  static void drain(ResultSet result) throws SQLException {
    try (result) {
      while (result.next()) result.getObject(1);
    }
  }

  /** The server's own code, which travels beside the status. */
  static String kind(Throwable refusal) {
    for (Throwable each = refusal; each != null; each = each.getCause()) {
      try {
        Object status = each.getClass().getMethod("status").invoke(each);
        Object metadata = status.getClass().getMethod("metadata").invoke(status);
        Object code = metadata.getClass().getMethod("get", String.class).invoke(metadata, "framehold-code");
        if (code != null) return code.toString();
      } catch (ReflectiveOperationException | NullPointerException ignored) {
        // Not an exception of Flight.
      }
    }
    return refusal.getClass().getSimpleName();
  }

  static String texts(Throwable refusal) {
    StringBuilder text = new StringBuilder();
    for (Throwable each = refusal; each != null; each = each.getCause()) text.append(each.getMessage()).append(' ');
    return text.toString().replaceAll("\\s+", " ");
  }
}
