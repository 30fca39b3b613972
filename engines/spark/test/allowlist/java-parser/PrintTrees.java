import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.ATNDeserializer;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser;
import scala.Function1;

/**
 * Prints how Spark itself reads statements. Each line of the input is an equals sign and a statement, as UTF-8 in base64; each line
 * of the output is its tree, or begins with an exclamation mark if Spark refuses it. The line "machines" is answered with the state
 * machines of the lexer and of the parser, as numbers, on a line each.
 */
public final class PrintTrees {
  /** Deep texts of the tests need more than a thread has by default; Spark's own limit is not what is compared. */
  private static final long STACK_BYTES = 512L << 20;

  public static void main(String[] arguments) throws Exception {
    Thread thread = new Thread(null, PrintTrees::answerAll, "parser", STACK_BYTES);
    thread.start();
    thread.join();
  }

  private static void answerAll() {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("=")) {
          byte[] statement = Base64.getDecoder().decode(line.substring(1));
          out.write(answer(new String(statement, StandardCharsets.UTF_8)));
        } else {
          out.write(numbers(SqlBaseLexer._serializedATN));
          out.newLine();
          out.write(numbers(SqlBaseParser._serializedATN));
        }
        out.newLine();
        if (!in.ready()) {
          out.flush();
        }
      }
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static String numbers(String machine) {
    int[] numbers = ATNDeserializer.decodeIntsEncodedAs16BitWords(machine.toCharArray());
    return IntStream.of(numbers).mapToObj(String::valueOf).collect(Collectors.joining(" "));
  }

  private static String answer(String statement) {
    StringBuilder tree = new StringBuilder();
    Function1<SqlBaseParser, Object> print =
        parser -> {
          tree.setLength(0);
          write(parser.compoundOrSingleStatement(), tree);
          return null;
        };
    try {
      CatalystSqlParser$.MODULE$.parse(statement, print);
      return tree.toString();
    } catch (Exception thrown) {
      // Scala does not declare what it throws, so that Java cannot catch it by its name.
      if (thrown instanceof ParseException) {
        return "!" + ((ParseException) thrown).getCondition();
      }
      throw thrown;
    } catch (StackOverflowError deep) {
      return "!DEEP";
    }
  }

  private static void write(ParseTree node, StringBuilder out) {
    if (node instanceof TerminalNode) {
      Token token = ((TerminalNode) node).getSymbol();
      out.append(token.getType()).append('<');
      escape(token.getText(), out);
      out.append('>');
      return;
    }
    String name = node.getClass().getSimpleName();
    out.append('(').append(name, 0, name.length() - "Context".length());
    for (int child = 0; child < node.getChildCount(); child++) {
      out.append(' ');
      write(node.getChild(child), out);
    }
    out.append(')');
  }

  /** One line per tree, whatever the tokens have. */
  private static void escape(String text, StringBuilder out) {
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (unit == '\\' || unit < ' ' || unit > '~') {
        out.append(String.format("\\%04x", (int) unit));
      } else {
        out.append(unit);
      }
    }
  }
}
