import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;

/**
 * The JDBC driver for Flight SQL against a server: {@code java -cp DRIVER JdbcChecks.java HOST:PORT [WORDS OF A TITLE]}. Prints a line for each
 * check, {@code ok TITLE} or {@code fault TITLE: what is wrong}.
 */
public class JdbcChecks {
  interface Check {
    void run(Connection connection) throws Exception;
  }

  static String url;
  static String only;

  public static void main(String[] arguments) throws Exception {
    url = "jdbc:arrow-flight-sql://" + arguments[0] + "/?useEncryption=false";
    only = arguments.length > 1 ? arguments[1] : "";
    check("a user is let in where nobody is asked", JdbcChecks::connectsWithAUser);
    check("a query gives rows and their types", JdbcChecks::query);
    check("values of every kind", JdbcChecks::kinds);
    check("lists and structs", JdbcChecks::nested);
    check("an empty result has columns", JdbcChecks::empty);
    check("many rows", JdbcChecks::manyRows);
    check("prepared with parameters", JdbcChecks::prepared);
    check("prepared once and run often", JdbcChecks::preparedOften);
    check("prepared tells its parameters and columns", JdbcChecks::preparedMetadata);
    check("times are bound and stored as they are", JdbcChecks::times);
    check("times of a cast parameter are bound", JdbcChecks::castTimes);
    check("a number that is too large for its column is refused", JdbcChecks::largeNumber);
    check("a query that times out ends when its statement is closed", JdbcChecks::queryTimeout);
    check("updates happen once and are counted", JdbcChecks::updates);
    check("execute tells a query from an update", JdbcChecks::execute);
    check("a batch of parameters", JdbcChecks::batch);
    check("a failure far into the rows is an error", JdbcChecks::lateFailure);
    check("errors say what is wrong", JdbcChecks::errors);
    check("autocommit and transactions are answered honestly", JdbcChecks::transactions);
    check("the connection is valid and closes", JdbcChecks::closes);
    check("SHOW TABLES, DESCRIBE and the information schema", JdbcChecks::catalogInSql);
    check("getCatalogs", JdbcChecks::catalogs);
    check("getSchemas", JdbcChecks::schemas);
    check("getTableTypes", JdbcChecks::tableTypes);
    check("getTables", JdbcChecks::tables);
    check("getColumns", JdbcChecks::columns);
    check("getTypeInfo", connection -> readable(connection.getMetaData().getTypeInfo()));
    check("getPrimaryKeys", connection -> none(connection.getMetaData().getPrimaryKeys("framehold", "main", "items")));
    check("getImportedKeys", connection -> none(connection.getMetaData().getImportedKeys("framehold", "main", "items")));
    check("getExportedKeys", connection -> none(connection.getMetaData().getExportedKeys("framehold", "main", "items")));
    check("getCrossReference", connection -> none(connection.getMetaData().getCrossReference("framehold", "main", "items", "framehold", "main", "broken")));
    check("getIndexInfo", connection -> none(connection.getMetaData().getIndexInfo("framehold", "main", "items", false, true)));
    check("getProcedures", connection -> none(connection.getMetaData().getProcedures(null, null, "%")));
    check("getFunctions", connection -> readable(connection.getMetaData().getFunctions(null, null, "%")));
    check("getUDTs", connection -> none(connection.getMetaData().getUDTs(null, null, "%", null)));
    check("the plain questions about a database", JdbcChecks::plainQuestions);
    check("what is answered about SQL is true", JdbcChecks::answers);
  }

  static void check(String title, Check check) {
    if (!title.contains(only)) return;
    try (Connection connection = DriverManager.getConnection(url, new Properties())) {
      check.run(connection);
      System.out.println("ok " + title);
    } catch (Throwable error) {
      String text = (error instanceof AssertionError ? "" : error.getClass().getSimpleName() + ": ") + error.getMessage();
      StackTraceElement where = Arrays.stream(error.getStackTrace()).filter(each -> each.getClassName().startsWith("JdbcChecks")).findFirst().orElse(null);
      System.out.println("fault " + title + ": " + text.replace('\n', ' ') + " (" + where + ")");
    }
  }

  static void equal(Object got, Object wanted) {
    if (!Objects.equals(got, wanted)) throw new AssertionError(got + " is not " + wanted);
  }

  static void yes(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  interface Call {
    void run() throws Exception;
  }

  static void raises(Call call, String word) throws Exception {
    try {
      call.run();
    } catch (SQLException | RuntimeException error) {
      for (Throwable each = error; each != null; each = each.getCause())
        if (String.valueOf(each.getMessage()).contains(word)) return;
      throw new AssertionError(word + " is not in " + error);
    }
    throw new AssertionError("no error, where one about " + word + " was wanted");
  }

  static List<List<Object>> rows(ResultSet result) throws SQLException {
    try (result) {
      int width = result.getMetaData().getColumnCount();
      List<List<Object>> rows = new ArrayList<>();
      while (result.next()) {
        List<Object> row = new ArrayList<>();
        for (int column = 1; column <= width; column++) row.add(result.getObject(column));
        rows.add(row);
      }
      return rows;
    }
  }

  static List<List<Object>> rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return rows(statement.executeQuery(sql));
    }
  }

  static void readable(ResultSet result) throws SQLException {
    yes(result.getMetaData().getColumnCount() > 0, "no columns");
    rows(result);
  }

  static void none(ResultSet result) throws SQLException {
    equal(rows(result), List.of());
  }

  static void connectsWithAUser(Connection ignored) throws SQLException {
    Properties properties = new Properties();
    properties.put("user", "somebody");
    properties.put("password", "secret");
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      equal(rows(connection, "SELECT 1"), List.of(List.of(1)));
    }
  }

  static void query(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT id, name, price, moment FROM items ORDER BY id")) {
      ResultSetMetaData columns = result.getMetaData();
      equal(columns.getColumnCount(), 4);
      equal(columns.getColumnName(2), "name");
      equal(columns.getColumnType(1), Types.BIGINT);
      equal(columns.getColumnType(2), Types.VARCHAR);
      equal(columns.getColumnType(3), Types.DECIMAL);
      equal(columns.getColumnType(4), Types.TIMESTAMP);
      yes(result.next(), "a row");
      equal(result.getLong("id"), 1L);
      equal(result.getString("name"), "one");
      equal(result.getBigDecimal("price"), new BigDecimal("1.50"));
      result.next();
      result.next();
      equal(result.getString("name"), null);
      yes(result.wasNull(), "null is seen");
      result.next();
      equal(result.getBigDecimal("price"), new BigDecimal("-0.01"));
      yes(!result.next(), "four rows");
    }
  }

  static void kinds(Connection connection) throws SQLException {
    String sql = "SELECT true AS a, 127::TINYINT AS b, 32767::SMALLINT AS c, 2147483647 AS d, 9223372036854775807 AS e, 1.5::FLOAT AS f, 0.1::DOUBLE AS g,"
        + " 'ü😀' AS h, 12.345::DECIMAL(10, 3) AS i, DATE '2024-02-29' AS j, TIMESTAMP '2024-02-29 12:34:56.789' AS k, '\\x01\\xFF'::BLOB AS l,"
        + " 99999999999999999999999999999999999999::HUGEINT AS m, NULL::INTEGER AS n, '550e8400-e29b-41d4-a716-446655440000'::UUID AS o, TIME '12:34:56' AS p,"
        + " TIMESTAMPTZ '2024-02-29 12:00:00+00' AS q, 'sad'::ENUM('sad', 'ok')::VARCHAR AS r, INTERVAL '1 month 2 days' AS s, 200::UTINYINT::SMALLINT AS t, 4294967295::UINTEGER::BIGINT AS u";
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
      result.next();
      equal(result.getBoolean("a"), true);
      equal(result.getByte("b"), (byte) 127);
      equal(result.getShort("c"), (short) 32767);
      equal(result.getInt("d"), 2147483647);
      equal(result.getLong("e"), 9223372036854775807L);
      equal(result.getFloat("f"), 1.5f);
      equal(result.getDouble("g"), 0.1);
      equal(result.getString("h"), "ü😀");
      equal(result.getBigDecimal("i"), new BigDecimal("12.345"));
      equal(result.getDate("j").toLocalDate().toString(), "2024-02-29");
      equal(result.getString("k").startsWith("2024-02-29"), true);
      equal(Arrays.toString(result.getBytes("l")), "[1, -1]");
      equal(result.getBigDecimal("m"), new BigDecimal("99999999999999999999999999999999999999"));
      equal(result.getObject("n"), null);
      equal(result.getString("o"), "550e8400-e29b-41d4-a716-446655440000");
      equal(result.getString("p").startsWith("12:34:56"), true);
      yes(result.getTimestamp("q") != null, "an instant");
      equal(result.getString("r"), "sad");
      yes(result.getObject("s") != null, "an interval");
      equal(result.getInt("t"), 200);
      equal(result.getLong("u"), 4294967295L);
    }
  }

  static void nested(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT [1, NULL, 3] AS l, {'a': 1, 'b': 'x'} AS s, MAP {'k': 2} AS m")) {
      result.next();
      equal(((Object[]) result.getArray("l").getArray()).length, 3);
      yes(String.valueOf(result.getObject("s")).contains("x"), "a struct");
      yes(String.valueOf(result.getObject("m")).contains("k"), "a map");
    }
  }

  static void empty(Connection connection) throws SQLException {
    String sql = "SELECT id, name FROM items WHERE false";
    try (PreparedStatement statement = connection.prepareStatement(sql); ResultSet result = statement.executeQuery()) {
      equal(result.getMetaData().getColumnCount(), 2);
      yes(!result.next(), "no rows");
    }
    // Not prepared, the driver (18.3) lists every column twice where there are no rows: it adds those of the stream to those it was told before.
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
      equal(result.getMetaData().getColumnName(2), "name");
      yes(!result.next(), "no rows");
    }
  }

  static void manyRows(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT n, 'row ' || n AS t FROM range(300000) r(n)")) {
      long sum = 0;
      long count = 0;
      for (; result.next(); count++) sum += result.getLong(1);
      equal(count, 300000L);
      equal(sum, 44999850000L);
    }
  }

  static void prepared(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT name FROM items WHERE id = ? OR name = ? ORDER BY id")) {
      statement.setLong(1, 2);
      statement.setString(2, "vier");
      equal(rows(statement.executeQuery()), List.of(List.of("two"), List.of("vier")));
    }
    try (PreparedStatement statement = connection.prepareStatement("SELECT ?::INTEGER + 1, ?::VARCHAR, ?::DOUBLE, ?::BOOLEAN")) {
      statement.setInt(1, 41);
      statement.setString(2, "it's \"so\"");
      statement.setDouble(3, 0.25);
      statement.setBoolean(4, true);
      equal(rows(statement.executeQuery()), List.of(List.of(42, "it's \"so\"", 0.25, true)));
    }
  }

  static void preparedOften(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT count(*) FROM items WHERE id > ?")) {
      for (long least = 0; least < 5; least++) {
        statement.setLong(1, least);
        equal(rows(statement.executeQuery()), List.of(List.of(4 - least)));
      }
    }
  }

  static void preparedMetadata(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT id, name FROM items WHERE id = ?")) {
      ParameterMetaData parameters = statement.getParameterMetaData();
      equal(parameters.getParameterCount(), 1);
      equal(parameters.getParameterType(1), Types.BIGINT);
      equal(statement.getMetaData().getColumnCount(), 2);
      equal(statement.getMetaData().getColumnName(1), "id");
    }
  }

  /** The driver (18.3) writes milliseconds, whatever unit the server announces. */
  static void times(Connection connection) throws Exception {
    Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    Timestamp moment = Timestamp.valueOf("2024-02-29 12:34:56.789");
    Time time = Time.valueOf("12:34:56");
    Date date = Date.valueOf("2024-02-29");
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("CREATE OR REPLACE TABLE jdbc_times AS SELECT now()::TIMESTAMP AS t, now()::TIMESTAMP::TIMESTAMP_NS AS n, now() AS z,"
          + " current_time::TIME AS h, current_date AS d WHERE false");
    }
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO jdbc_times VALUES (?, ?, ?, ?, ?)")) {
      statement.setTimestamp(1, moment);
      statement.setTimestamp(2, moment);
      statement.setTimestamp(3, moment, utc);
      statement.setTime(4, time);
      statement.setDate(5, date);
      equal(statement.executeUpdate(), 1);
    }
    String stored = "SELECT t::VARCHAR, n::VARCHAR, epoch_ms(z), h::VARCHAR, d::VARCHAR FROM jdbc_times";
    equal(rows(connection, stored), List.of(List.of("2024-02-29 12:34:56.789", "2024-02-29 12:34:56.789", moment.getTime(), "12:34:56", "2024-02-29")));
    String compared = "SELECT count(*) FROM jdbc_times WHERE t = ? AND n = ? AND z = ? AND h = ? AND d = ? AND t < ?::TIMESTAMP + INTERVAL 1 HOUR";
    try (PreparedStatement statement = connection.prepareStatement(compared)) {
      statement.setTimestamp(1, moment);
      statement.setTimestamp(2, moment);
      statement.setTimestamp(3, moment, utc);
      statement.setTime(4, time);
      statement.setDate(5, date);
      statement.setTimestamp(6, moment);
      equal(rows(statement.executeQuery()), List.of(List.of(1L)));
    }
    // Read as classes of java.time: with its own calendar the driver (18.3) subtracts the zone's offset.
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT t, z, d FROM jdbc_times")) {
      result.next();
      equal(result.getObject(1, LocalDateTime.class), moment.toLocalDateTime());
      equal(result.getObject(2, OffsetDateTime.class).toInstant(), moment.toInstant());
      equal(result.getDate(3), date);
    }
  }

  static void castTimes(Connection connection) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement("SELECT ?::DATE::VARCHAR, ?::TIMESTAMP::VARCHAR, ?::VARCHAR::TIMESTAMP::VARCHAR")) {
      equal(statement.getParameterMetaData().getParameterType(1), Types.DATE);
      statement.setDate(1, Date.valueOf("2024-02-29"));
      statement.setTimestamp(2, Timestamp.valueOf("2024-02-29 12:34:56.789"));
      // As text: the driver (18.3) writes no microseconds.
      statement.setString(3, "2024-02-29 12:34:56.789012");
      equal(rows(statement.executeQuery()), List.of(List.of("2024-02-29", "2024-02-29 12:34:56.789", "2024-02-29 12:34:56.789012")));
    }
  }

  /** The driver (18.3) cuts a number down to the announced width without a word. */
  static void largeNumber(Connection connection) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement("SELECT ?::INTEGER")) {
      statement.setLong(1, 5);
      equal(rows(statement.executeQuery()), List.of(List.of(5)));
      statement.setLong(1, 5_000_000_000L);
      raises(() -> statement.executeQuery(), "5000000000");
    }
  }

  /** The driver (18.3) ends its own wait for the first row, and sends nothing. Closing the statement cancels its call. */
  static void queryTimeout(Connection ignored) throws Exception {
    Connection connection = DriverManager.getConnection(url, new Properties());
    String sql = "SELECT count(*) FROM range(2000000) a(x), range(2000000) b(y) WHERE x * y % 7 = 3";
    raises(() -> {
      try (Statement statement = connection.createStatement()) {
        statement.setQueryTimeout(1);
        statement.executeQuery(sql);
      }
    }, "timed out");
    raises(() -> {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setQueryTimeout(1);
        statement.executeQuery();
      }
    }, "timed out");
    equal(rows(connection, "SELECT 42"), List.of(List.of(42)));
    // Closing it, the driver (18.3) complains about 66 bytes of its own.
    try {
      connection.close();
    } catch (SQLException leaked) {
      yes(leaked.getMessage().contains("clean up"), leaked.getMessage());
    }
  }

  static void updates(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("CREATE TABLE jdbc_made AS SELECT id, name FROM items");
      equal(statement.executeUpdate("INSERT INTO jdbc_made VALUES (10, 'ten'), (11, NULL)"), 2);
      equal(rows(connection, "SELECT count(*) FROM jdbc_made"), List.of(List.of(6L)));
      statement.executeUpdate("DROP TABLE jdbc_made");
      raises(() -> rows(connection, "SELECT * FROM jdbc_made"), "jdbc_made");
    }
  }

  static void execute(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      yes(statement.execute("SELECT 1"), "a query has rows");
      yes(statement.getResultSet().next(), "a row");
      yes(!statement.execute("CREATE TABLE jdbc_executed AS SELECT 1 AS a"), "an update has none");
      equal(rows(connection, "SELECT count(*) FROM jdbc_executed"), List.of(List.of(1L)));
    }
  }

  static void batch(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("CREATE TABLE jdbc_batch (a BIGINT, b VARCHAR)");
    }
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO jdbc_batch VALUES (?, ?)")) {
      for (int number = 0; number < 100; number++) {
        statement.setLong(1, number);
        if (number % 10 == 0) statement.setNull(2, Types.VARCHAR);
        else statement.setString(2, "row " + number);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    equal(rows(connection, "SELECT count(*), sum(a)::BIGINT, count(b) FROM jdbc_batch"), List.of(List.of(100L, 4950L, 90L)));
  }

  static void lateFailure(Connection connection) throws Exception {
    raises(() -> {
      try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT n, text::BIGINT AS number FROM broken")) {
        while (result.next()) result.getLong(2);
      }
    }, "not a number");
  }

  static void errors(Connection connection) throws Exception {
    raises(() -> rows(connection, "SELEC 1"), "SELEC");
    raises(() -> rows(connection, "SELECT * FROM no_such_frame"), "no_such_frame");
    raises(() -> connection.prepareStatement("SELECT nonsense FROM items"), "nonsense");
  }

  static void transactions(Connection connection) throws Exception {
    yes(connection.getAutoCommit(), "every statement is its own");
    DatabaseMetaData database = connection.getMetaData();
    if (!database.supportsTransactions()) equal(database.getDefaultTransactionIsolation(), Connection.TRANSACTION_NONE);
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("CREATE OR REPLACE TABLE jdbc_rolled_back (a INTEGER)");
      // The driver's own method is empty: the guide says so.
      connection.rollback();
      raises(() -> rows(connection, "ROLLBACK"), "nothing is undone");
      equal(rows(connection, "SELECT count(*) FROM jdbc_rolled_back").size(), 1);
      statement.executeUpdate("DROP TABLE jdbc_rolled_back");
    }
  }

  static void closes(Connection connection) throws SQLException {
    yes(connection.isValid(5), "valid");
    connection.close();
    yes(connection.isClosed(), "closed");
  }

  static List<Object> column(ResultSet result, String name) throws SQLException {
    try (result) {
      List<Object> values = new ArrayList<>();
      while (result.next()) values.add(result.getObject(name));
      return values;
    }
  }

  static void catalogInSql(Connection connection) throws SQLException {
    yes(rows(connection, "SHOW TABLES").contains(List.<Object>of("items")), "items");
    equal(column(connection.createStatement().executeQuery("DESCRIBE items"), "column_type"), List.of("BIGINT", "VARCHAR", "DECIMAL(10,2)", "TIMESTAMP"));
    equal(rows(connection, "SELECT count(*) FROM information_schema.columns WHERE table_name = 'items'"), List.of(List.of(4L)));
    equal(column(connection.createStatement().executeQuery("SUMMARIZE items"), "column_name"), List.of("id", "name", "price", "moment"));
  }

  static void catalogs(Connection connection) throws SQLException {
    yes(column(connection.getMetaData().getCatalogs(), "TABLE_CAT").contains("framehold"), "framehold");
  }

  static void schemas(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    yes(column(database.getSchemas(), "TABLE_SCHEM").contains("main"), "main");
    equal(column(database.getSchemas("framehold", "main"), "TABLE_CATALOG"), List.of("framehold"));
    none(database.getSchemas("framehold", "nowhere"));
  }

  static void tableTypes(Connection connection) throws SQLException {
    yes(column(connection.getMetaData().getTableTypes(), "TABLE_TYPE").contains("TABLE"), "TABLE");
  }

  static void tables(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    equal(column(database.getTables("framehold", "main", "items", null), "TABLE_NAME"), List.of("items"));
    equal(column(database.getTables(null, null, "ite_s", new String[] {"TABLE"}), "TABLE_TYPE"), List.of("TABLE"));
    yes(column(database.getTables(null, null, "%", null), "TABLE_NAME").contains("broken"), "all tables");
    none(database.getTables("framehold", "main", "no_such", null));
    none(database.getTables("framehold", "main", "items", new String[] {"NO SUCH TYPE"}));
  }

  static void columns(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    equal(column(database.getColumns("framehold", "main", "items", "%"), "COLUMN_NAME"), List.of("id", "name", "price", "moment"));
    try (ResultSet result = database.getColumns(null, null, "items", "price")) {
      yes(result.next(), "a column");
      equal(result.getInt("DATA_TYPE"), Types.DECIMAL);
      equal(result.getInt("COLUMN_SIZE"), 10);
      equal(result.getInt("DECIMAL_DIGITS"), 2);
      equal(result.getInt("ORDINAL_POSITION"), 3);
      yes(!result.next(), "one column");
    }
    try (ResultSet result = database.getColumns(null, null, "items", "id")) {
      result.next();
      equal(result.getInt("DATA_TYPE"), Types.BIGINT);
      equal(result.getString("IS_NULLABLE"), "YES");
    }
  }

  /** Questions without arguments: a database browser asks most of them when it connects. */
  static void plainQuestions(Connection connection) throws Exception {
    DatabaseMetaData database = connection.getMetaData();
    Set<String> failed = new TreeSet<>();
    int asked = 0;
    for (Method method : DatabaseMetaData.class.getMethods()) {
      if (method.getParameterCount() != 0 || method.getDeclaringClass() != DatabaseMetaData.class) continue;
      asked++;
      try {
        Object answer = method.invoke(database);
        if (answer instanceof ResultSet) rows((ResultSet) answer);
      } catch (InvocationTargetException error) {
        failed.add(method.getName() + " (" + error.getCause() + ")");
      }
    }
    yes(asked > 100, asked + " questions");
    equal(failed, Set.of());
  }

  static void answers(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    yes(database.getDatabaseProductName().toLowerCase().contains("framehold"), database.getDatabaseProductName());
    yes(!database.getDatabaseProductVersion().isEmpty(), "a version");
    equal(database.getIdentifierQuoteString(), "\"");
    yes(!database.isReadOnly(), "frames can be made");
    yes(database.supportsGroupBy(), "GROUP BY");
    yes(database.supportsOuterJoins(), "outer joins");
    yes(database.supportsUnion(), "UNION");
    yes(!database.supportsStoredProcedures(), "no procedures");
    yes(!database.getSQLKeywords().isEmpty(), "keywords");
    yes(!database.getNumericFunctions().isEmpty(), "functions");
  }
}
