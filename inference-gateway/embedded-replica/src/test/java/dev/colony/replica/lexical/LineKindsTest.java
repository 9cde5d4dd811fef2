package dev.colony.replica.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.lexical.LineKinds.LineKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineKindsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TYPE   | Turnstile | public final class Turnstile {",
        "TYPE   | Point     | record Point(int x, int y) {}",
        "TYPE   | Shape     | sealed interface Shape permits Circle {",
        "TYPE   | Kind      | '  private enum Kind {'",
        "TYPE   | Range     | public @interface Range {",
        "TYPE   | Strategy  | '  trait Strategy extends Serializable {'",
        "TYPE   | Shard     | private[pekko] object Shard {",
        "TYPE   | Started   | '  final case class Started(id: String) extends Event'",
        "TYPE   | Parser    | class Parser(Base):",
        "MEMBER | admit     | '  void admit(Visitor visitor) {'",
        "MEMBER | of        | '  public static <T> Box<T> of(T value) {'",
        "MEMBER | isDue     | '  boolean isDue(Bed bed);'",
        "MEMBER | Turnstile | '  Turnstile(TicketBox tickets) {'",
        "MEMBER | LIMIT     | '  private static final int LIMIT = 3;'",
        "MEMBER | byName    | '  private final Map<String, List<Integer>> byName = Map.of();'",
        "MEMBER | allocate  | '  def allocate(region: ActorRef): Future[ActorRef] ='",
        "MEMBER | parse     | def parse(self, text):",
        "MEMBER | Serve     | func (s *Server) Serve(l net.Listener) error {",
        "CODE   |           | '    return admit(visitor);'",
        "CODE   |           | '    admit(visitor);'",
        "CODE   |           | '    int count = visitors.size();'",
        "CODE   |           | '    if (open) {'",
        "CODE   |           | '    } else if (closed(gate)) {'",
        "CODE   |           | '    throw new IllegalStateException(message);'",
        "IMPORT |           | import java.util.List;",
        "COMMENT|           | // a class of its own",
        "BLANK  |           | '   '"
      })
  void tellsALineByItsShape(LineKind kind, String name, String line) {
    assertThat(new LineKinds("A.java").next(line)).isEqualTo(kind);
    if (kind.declares()) {
      assertThat(LineKinds.declaredName(line)).hasValue(name);
    }
  }

  @Test
  void aBlockCommentLastsUntilItsEnd() {
    LineKinds kinds = new LineKinds("A.java");
    assertThat(kinds.next("/**")).isEqualTo(LineKind.COMMENT);
    assertThat(kinds.next(" class in prose")).isEqualTo(LineKind.COMMENT);
    assertThat(kinds.next(" */")).isEqualTo(LineKind.COMMENT);
    assertThat(kinds.next("class A {}")).isEqualTo(LineKind.TYPE);
  }

  @Test
  void textFilesAreProseAndHashesCommentScripts() {
    assertThat(new LineKinds("README.md").next("class A {}")).isEqualTo(LineKind.PROSE);
    assertThat(new LineKinds("run.sh").next("# starts it")).isEqualTo(LineKind.COMMENT);
    assertThat(new LineKinds("A.java").next("# starts it")).isEqualTo(LineKind.CODE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "  private static final int LIMIT = 3;",
        "  private long timeout = 5 * 60 * 1000;",
        "  Duration patience = Duration.ofSeconds(3);",
        "org.garden.beds.count: 10",
        "beds = 12",
        "    int most = Integer.MAX_VALUE - 128;",
        "    this.lazy = false;",
        "    limit = DEFAULT_LIMIT;"
      })
  void aNameThatIsGivenAValueSetsAConstant(String line) {
    assertThat(LineKinds.setsAConstant(line)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "    if (count == 3) {",
        "    int count = visitors.size();",
        "  * The limit is: 10",
        "  // limit = 3",
        "    admit(visitor, 3);",
        "  int limit();"
      })
  void otherLinesSetNone(String line) {
    assertThat(LineKinds.setsAConstant(line)).isFalse();
  }
}
