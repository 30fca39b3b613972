import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** pgjdbc: {@code java -cp DRIVER Features.java HOST PORT CUT_PORT USER PASSWORD DATABASE CERTIFICATE SKIPPED,…}. A line of JSON for what came of each feature. */
public class Features {
  interface Feature {
    Object run() throws Exception;
  }

  static final String COLUMNS =
      "flag, small, whole, large, single, precise, amount, huge, label, data, day, moment, instant, clock, numbers, labels";
  static final String EVERY_VALUE = "select " + COLUMNS + " from every_type where id <> 3 order by id";
  static final String SLOW =
      "select count(*) from trades a, trades b, trades c, trades d"
          + " where a.price + b.price > c.price + d.price and a.id + b.id + c.id + d.id > 3";

  static String host, port, cutPort, user, password, database, certificate;
  static Set<String> skipped;

  public static void main(String[] words) {
    host = words[0];
    port = words[1];
    cutPort = words[2];
    user = words[3];
    password = words[4];
    database = words[5];
    certificate = words[6];
    skipped = Set.of(words.length > 7 ? words[7].split(",") : new String[] {""});
    feature("connect-plain", () -> with(c -> List.of(c.getMetaData().getDatabaseProductName(), c.getMetaData().getDatabaseMajorVersion(), c.isValid(5))));
    feature("tls", () -> ask(connect("sslmode", "verify-ca", "sslrootcert", certificate), "select 1"));
    feature("direct-tls", () -> ask(connect("sslmode", "verify-ca", "sslrootcert", certificate, "sslNegotiation", "direct"), "select 1"));
    feature("wrong-password", () -> failure(() -> connect("password", "wrong")));
    feature("types-in-text", () -> ask(connect("binaryTransfer", "false"), EVERY_VALUE));
    feature("types-in-binary", Features::binary);
    feature("simple-mode", () -> ask(connect("preferQueryMode", "simple"), EVERY_VALUE));
    feature("nulls", () -> ask(connect(), "select " + COLUMNS + " from every_type where id = 3"));
    feature("parameters", Features::parameters);
    feature("prepared", Features::prepared);
    feature("several-statements", Features::several);
    feature("portions", Features::portions);
    feature("rows-at-most", () -> with(c -> {
      Statement statement = c.createStatement();
      statement.setMaxRows(7);
      return rows(statement.executeQuery("select id from trades order by id")).size();
    }));
    feature("copy-text", () -> copy("copy (" + EVERY_VALUE + ") to stdout"));
    feature("copy-csv", () -> copy("copy (select id, symbol from trades where id <= 3 order by id) to stdout (format csv, header)"));
    feature("transactions", Features::transactions);
    feature("savepoints", Features::savepoints);
    feature("failed-transaction", Features::failedTransaction);
    feature("errors", Features::errors);
    feature("writes-are-refused", () -> with(c -> List.of(
        failure(() -> c.createStatement().execute("insert into trades (id) values (0)")),
        failure(() -> c.createStatement().execute("create table made (a int4)")),
        c.isReadOnly())));
    feature("cancel", Features::cancel);
    feature("statement-timeout", () -> with(c -> {
      Statement statement = c.createStatement();
      statement.setQueryTimeout(1);
      return List.of(failure(() -> statement.executeQuery(SLOW)), rows(c.createStatement().executeQuery("select 1")));
    }));
    feature("empty-query", () -> with(c -> c.createStatement().execute("")));
    feature("settings", () -> ask(connect("ApplicationName", "framehold tests", "currentSchema", "public"), "show application_name"));
    feature("notices", () -> with(c -> {
      Statement statement = c.createStatement();
      statement.execute("commit");
      List<Object> found = new ArrayList<>();
      for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) found.add(warning.getSQLState());
      return found;
    }));
    feature("result-metadata", Features::resultMetadata);
    feature("metadata", Features::metadata);
    feature("metadata-other", Features::otherMetadata);
    feature("reconnect", () -> {
      Connection connection = DriverManager.getConnection(url(cutPort), properties());
      String lost = failure(() -> connection.createStatement().executeQuery("select 1 -- cut here\n"));
      return List.of(lost, connection.isClosed(), ask(connect(), "select 1"));
    });
    System.exit(0);
  }

  static String url(String at) {
    return "jdbc:postgresql://" + host + ":" + at + "/" + database;
  }

  static Properties properties(String... more) {
    Properties found = new Properties();
    found.putAll(Map.of("user", user, "password", password, "sslmode", "disable"));
    for (int i = 0; i < more.length; i += 2) found.setProperty(more[i], more[i + 1]);
    return found;
  }

  static Connection connect(String... more) throws SQLException {
    return DriverManager.getConnection(url(port), properties(more));
  }

  interface Use {
    Object of(Connection connection) throws Exception;
  }

  static Object with(Use use) throws Exception {
    try (Connection connection = connect()) {
      return use.of(connection);
    }
  }

  static Object ask(Connection connection, String text) throws SQLException {
    try (connection) {
      return rows(connection.createStatement().executeQuery(text));
    }
  }

  static List<Object> rows(ResultSet found) throws SQLException {
    List<Object> rows = new ArrayList<>();
    int columns = found.getMetaData().getColumnCount();
    while (found.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 1; i <= columns; i++) row.add(shown(found.getObject(i)));
      rows.add(row);
    }
    return rows;
  }

  /** With its class: 5, 5.0 and "5" are three values. */
  static Object shown(Object value) throws SQLException {
    if (value == null) return null;
    if (value instanceof byte[] bytes) return "bytes " + java.util.HexFormat.of().formatHex(bytes);
    if (value instanceof Array array) return array.getBaseTypeName() + " " + Arrays.deepToString((Object[]) array.getArray());
    return value.getClass().getSimpleName() + " " + value;
  }

  /** The sixth execution of a statement is the first that is answered in binary. */
  static Object binary() throws Exception {
    return with(connection -> {
      PreparedStatement statement = connection.prepareStatement(EVERY_VALUE);
      List<Object> found = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        List<Object> rows = rows(statement.executeQuery());
        if (i == 0 || i > 4) found.add(rows);
      }
      return found;
    });
  }

  static Object parameters() throws Exception {
    return with(connection -> {
      List<Object> found = new ArrayList<>();
      Object[][] values = {
        {"flag", true}, {"small", (short) 1}, {"whole", 2}, {"large", 3L}, {"single", 1.5f}, {"precise", 2.25},
        {"amount", new BigDecimal("12345.6789")}, {"label", "plain"}, {"data", new byte[] {(byte) 0xde, (byte) 0xad}},
        {"day", LocalDate.of(2024, 2, 29)}, {"day", Date.valueOf("2024-02-29")},
        {"moment", LocalDateTime.of(2024, 2, 29, 12, 30, 0, 123_456_000)}, {"moment", Timestamp.valueOf("2024-02-29 12:30:00.123456")},
      };
      for (Object[] value : values) {
        PreparedStatement statement = connection.prepareStatement("select id from every_type where " + value[0] + " = ?");
        // Often enough to be asked in binary.
        for (int i = 0; i < 7; i++) {
          statement.setObject(1, value[1]);
          List<Object> rows = rows(statement.executeQuery());
          if (i == 0 || i == 6) found.add(rows);
        }
      }
      PreparedStatement list = connection.prepareStatement("select id from trades where id = any(?) order by id");
      list.setArray(1, connection.createArrayOf("int8", new Object[] {3L, 1L, 2L}));
      found.add(rows(list.executeQuery()));
      PreparedStatement empty = connection.prepareStatement("select ?::text, ?::int4");
      empty.setString(1, null);
      empty.setNull(2, java.sql.Types.INTEGER);
      found.add(rows(empty.executeQuery()));
      return found;
    });
  }

  static Object prepared() throws Exception {
    return with(connection -> {
      PreparedStatement statement = connection.prepareStatement("select symbol, price, size, traded_at from trades where id = ?");
      List<Object> found = new ArrayList<>();
      for (int n = 1; n <= 10; n++) {
        statement.setLong(1, n);
        found.add(rows(statement.executeQuery()));
      }
      found.add(statement.getParameterMetaData().getParameterTypeName(1));
      return found;
    });
  }

  static Object several() throws Exception {
    return with(connection -> {
      Statement statement = connection.createStatement();
      List<Object> found = new ArrayList<>();
      boolean more = statement.execute("select 1; select symbol from trades where id = 1");
      while (more) {
        found.add(rows(statement.getResultSet()));
        more = statement.getMoreResults();
      }
      return found;
    });
  }

  static Object portions() throws Exception {
    return with(connection -> {
      connection.setAutoCommit(false);
      PreparedStatement statement = connection.prepareStatement("select id, symbol from trades where id > ? order by id");
      statement.setFetchSize(100);
      List<Object> found = new ArrayList<>();
      for (int round = 0; round < 7; round++) {
        statement.setLong(1, 0);
        ResultSet rows = statement.executeQuery();
        long sum = 0;
        while (rows.next()) sum += rows.getLong(1);
        found.add(sum);
      }
      connection.commit();
      return found;
    });
  }

  static Object copy(String text) throws Exception {
    return with(connection -> {
      java.io.StringWriter into = new java.io.StringWriter();
      long count = connection.unwrap(org.postgresql.PGConnection.class).getCopyAPI().copyOut(text, into);
      return List.of(count, into.toString());
    });
  }

  static Object transactions() throws Exception {
    return with(connection -> {
      List<Object> found = new ArrayList<>();
      for (int level : new int[] {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
        connection.setTransactionIsolation(level);
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        found.add(rows(connection.createStatement().executeQuery("show transaction_isolation")));
        connection.commit();
        connection.setAutoCommit(true);
        found.add(connection.getTransactionIsolation() == level);
      }
      return found;
    });
  }

  static Object savepoints() throws Exception {
    return with(connection -> {
      connection.setAutoCommit(false);
      connection.createStatement().executeQuery("select 1");
      Savepoint savepoint = connection.setSavepoint("one");
      String state = failure(() -> connection.createStatement().executeQuery("select nope from trades"));
      connection.rollback(savepoint);
      List<Object> found = List.of(state, rows(connection.createStatement().executeQuery("select 1")));
      connection.releaseSavepoint(savepoint);
      connection.commit();
      return found;
    });
  }

  static Object failedTransaction() throws Exception {
    return with(connection -> {
      connection.setAutoCommit(false);
      String first = failure(() -> connection.createStatement().executeQuery("select nope from trades"));
      String second = failure(() -> connection.createStatement().executeQuery("select 1"));
      connection.rollback();
      return List.of(first, second, rows(connection.createStatement().executeQuery("select 1")));
    });
  }

  static Object errors() throws Exception {
    return with(connection -> {
      List<Object> found = new ArrayList<>();
      for (String text : List.of("select symbo from trades", "select * from nowhere", "selec 1", "select no_function(1)")) {
        try {
          connection.createStatement().executeQuery(text);
        } catch (org.postgresql.util.PSQLException error) {
          found.add(List.of(error.getSQLState(), error.getServerErrorMessage().getPosition(), error.getServerErrorMessage().getSeverity()));
        }
      }
      return found;
    });
  }

  static Object cancel() throws Exception {
    return with(connection -> {
      Statement statement = connection.createStatement();
      CountDownLatch ended = new CountDownLatch(1);
      Thread thread = new Thread(() -> {
        try {
          // One that comes before the statement was sent cancels nothing.
          while (!ended.await(500, TimeUnit.MILLISECONDS)) statement.cancel();
        } catch (Exception error) {
          throw new IllegalStateException(error);
        }
      });
      thread.start();
      String state = failure(() -> statement.executeQuery(SLOW));
      ended.countDown();
      thread.join();
      return List.of(state, rows(connection.createStatement().executeQuery("select 1")));
    });
  }

  static Object resultMetadata() throws Exception {
    return with(connection -> {
      ResultSetMetaData data = connection.prepareStatement(EVERY_VALUE).getMetaData();
      List<Object> found = new ArrayList<>();
      for (int i = 1; i <= data.getColumnCount(); i++)
        found.add(Arrays.asList(data.getColumnLabel(i), data.getColumnTypeName(i), data.getColumnType(i), data.getColumnClassName(i), data.getPrecision(i), data.getScale(i), data.getTableName(i)));
      return found;
    });
  }

  static List<Object> some(ResultSet found, String... columns) throws SQLException {
    List<Object> rows = new ArrayList<>();
    while (found.next()) {
      List<Object> row = new ArrayList<>();
      for (String column : columns) row.add(found.getString(column));
      rows.add(row);
    }
    return rows;
  }

  static Object metadata() throws Exception {
    return with(connection -> {
      DatabaseMetaData data = connection.getMetaData();
      return List.of(
          some(data.getSchemas(), "TABLE_SCHEM"),
          some(data.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"}), "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE"),
          some(data.getColumns(null, "public", "%", "%"), "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "ORDINAL_POSITION", "IS_AUTOINCREMENT"),
          some(data.getPrimaryKeys(null, "public", "trades"), "COLUMN_NAME"),
          some(data.getIndexInfo(null, "public", "trades", false, true), "INDEX_NAME"),
          some(data.getImportedKeys(null, "public", "trades"), "PKCOLUMN_NAME"),
          some(data.getExportedKeys(null, "public", "trades"), "PKCOLUMN_NAME"),
          some(data.getBestRowIdentifier(null, "public", "trades", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME"));
    });
  }

  static Object otherMetadata() throws Exception {
    return with(connection -> {
      DatabaseMetaData data = connection.getMetaData();
      Set<String> types = new TreeSet<>();
      ResultSet known = data.getTypeInfo();
      while (known.next()) types.add(known.getString("TYPE_NAME"));
      return List.of(
          types.containsAll(List.of("bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "bytea", "date", "time", "timestamp", "timestamptz", "uuid", "json")),
          some(data.getCatalogs(), "TABLE_CAT").contains(List.of(database)),
          some(data.getTableTypes(), "TABLE_TYPE").contains(List.of("TABLE")),
          some(data.getFunctions(null, "public", "%"), "FUNCTION_NAME"),
          some(data.getProcedures(null, "public", "%"), "PROCEDURE_NAME"),
          some(data.getUDTs(null, "public", "%", null), "TYPE_NAME"),
          data.getSQLKeywords().length() > 0,
          data.getMaxColumnNameLength(),
          some(data.getVersionColumns(null, "public", "trades"), "COLUMN_NAME"));
    });
  }

  interface Action {
    void run() throws Exception;
  }

  static String failure(Action action) throws Exception {
    try {
      action.run();
    } catch (SQLException error) {
      return error.getSQLState();
    }
    throw new IllegalStateException("no error");
  }

  static void feature(String name, Feature feature) {
    if (skipped.contains(name)) return;
    print("{\"begins\":" + json(name) + "}");
    try {
      print("{\"feature\":" + json(name) + ",\"ok\":true,\"value\":" + json(feature.run()) + "}");
    } catch (Throwable error) {
      String state = error instanceof SQLException sql ? sql.getSQLState() : null;
      print("{\"feature\":" + json(name) + ",\"ok\":false,\"error\":" + json(String.valueOf(error)) + ",\"sqlstate\":" + json(state) + "}");
    }
  }

  static void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  static String json(Object value) {
    if (value == null) return "null";
    if (value instanceof Number || value instanceof Boolean) return value.toString();
    if (value instanceof List<?> list) {
      StringBuilder text = new StringBuilder("[");
      for (Object each : list) text.append(text.length() > 1 ? "," : "").append(json(each));
      return text.append("]").toString();
    }
    StringBuilder text = new StringBuilder("\"");
    for (char each : value.toString().toCharArray()) {
      if (each == '"' || each == '\\') text.append('\\').append(each);
      else if (each < 0x20) text.append(String.format("\\u%04x", (int) each));
      else text.append(each);
    }
    return text.append('"').toString();
  }
}
