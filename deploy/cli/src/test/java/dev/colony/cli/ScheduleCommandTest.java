package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.exit.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The router as a simulator drives it. */
class ScheduleCommandTest {

  private static final String INIT =
      "{'ev':'init','n':2,'cache':100,'hbm':100,'block':512,'prefill_rate':1,'attn_k':1}";

  private static Finished run(String... lines) {
    String input = String.join("\n", lines).replace('\'', '"') + "\n";
    return CommandLineRun.withInput(input.getBytes(StandardCharsets.UTF_8), "schedule", "--stdio");
  }

  private static List<Integer> replicas(String out) throws Exception {
    ObjectMapper json = new ObjectMapper();
    return out.lines()
        .map(line -> {
          try {
            return json.readTree(line).path("replica").asInt(-1);
          } catch (Exception bad) {
            throw new IllegalStateException(line, bad);
          }
        })
        .toList();
  }

  private static String arrive(int call, double at, String blocks) {
    return "{'ev':'arrive','t':%s,'i':%d,'input_length':5120,'hash_ids':[%s],'session_id':null,'agent':0,'last':true}"
        .formatted(at, call, blocks);
  }

  private static String event(String kind, double at, int call, int replica) {
    return "{'ev':'%s','t':%s,'i':%d,'replica':%d,'hit':0}".formatted(kind, at, call, replica);
  }

  @Test
  void promptsGoWhereTheirPrefixIsAndOthersWhereLessWaits() throws Exception {
    Finished done =
        run(
            INIT,
            arrive(0, 0, "1,2,3,4,5,6,7,8,9,10"),
            // the first is still being computed
            arrive(1, 0.1, "21,22,23,24,25,26,27,28,29,30"),
            // ends are told before first tokens
            event("finish", 9, 0, 0),
            event("finish", 9, 1, 1),
            event("first", 1, 0, 0),
            event("first", 1, 1, 1),
            arrive(2, 20, "21,22,23,24,25,26,27,28,29,31"),
            event("first", 20.5, 2, 1),
            event("finish", 21, 2, 1),
            "{'ev':'evict','t':22,'blocks':[[1,21]]}",
            arrive(3, 30, "21,22,23,24,25,26,27,28,29,32"));
    assertThat(done.err()).isEmpty();
    assertThat(done.status()).isEqualTo(ExitCode.OK.status());
    assertThat(replicas(done.out())).containsExactly(0, 1, 1, 0);
  }

  @Test
  void nothingIsHeldBack() {
    assertThat(run(INIT, "{'ev':'poll','t':1,'held':[]}").out().strip())
        .isEqualTo("{\"dispatch\":[]}");
  }

  @Test
  void aLineThatIsNoEventEndsIt() {
    Finished early = run(arrive(0, 0, "1"));
    assertThat(early.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(early.err()).hasLineCount(1).contains("line 1", "the first event must be init");
    Finished broken = run(INIT, "{'ev':");
    assertThat(broken.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(broken.err()).hasLineCount(1).contains("line 2");
    assertThat(run(INIT, event("first", 1, 7, 0), arrive(0, 2, "1")).err())
        .contains("no call 7 was sent");
    assertThat(run(INIT, "{'ev':'dance'}").err()).contains("unknown event 'dance'");
  }
}
