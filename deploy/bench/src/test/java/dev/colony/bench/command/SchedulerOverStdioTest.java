package dev.colony.bench.command;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.terminal.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The router as a simulator drives it. */
class SchedulerOverStdioTest {

  private static final String INIT =
      "{'ev':'init','n':2,'cache':100,'hbm':100,'block':512,'prefill_rate':1,'attn_k':1}";

  private static Finished run(String... lines) {
    String input = String.join("\n", lines).replace('\'', '"') + "\n";
    return CommandLineRun.withInput(
        input.getBytes(StandardCharsets.UTF_8), "bench", "schedule", "--stdio");
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
  void callsWithoutASessionAreNotHeldBack() {
    assertThat(run(INIT, "{'ev':'poll','t':1,'held':[]}").out().strip())
        .isEqualTo("{\"dispatch\":[]}");
  }

  private static String turn(int call, double at, int from, String agent, boolean last) {
    String blocks =
        IntStream.range(from, from + 60).mapToObj(Integer::toString).collect(joining(","));
    return "{'ev':'arrive','t':%s,'i':%d,'input_length':30720,'output_length':512,'hash_ids':[%s],'session_id':'%s','agent':0,'last':%s}"
        .formatted(at, call, blocks, agent, last);
  }

  /** Two replicas of 100 blocks, three agents of 60 blocks each. */
  private static List<String> threeAgents(String... options) {
    String[] lines = {
      INIT,
      turn(0, 0, 0, "a", false),
      turn(1, 0, 1_000, "b", false),
      turn(2, 0, 2_000, "c", false),
      event("first", 5, 0, 0),
      "{'ev':'finish','t':6,'i':0,'replica':0,'next_use_s':1,'remaining_turns':1}",
      "{'ev':'poll','t':6,'held':[2]}",
      turn(3, 7, 0, "a", true),
      "{'ev':'finish','t':9,'i':3,'replica':0,'next_use_s':null}",
      "{'ev':'poll','t':9,'held':[2]}",
    };
    String input = String.join("\n", lines).replace('\'', '"') + "\n";
    String[] command =
        Stream.concat(Stream.of("bench", "schedule", "--stdio"), Stream.of(options))
            .toArray(String[]::new);
    Finished done = CommandLineRun.withInput(input.getBytes(StandardCharsets.UTF_8), command);
    assertThat(done.err()).isEmpty();
    return done.out().lines().toList();
  }

  @Test
  void anAgentWhoseBlocksFitNowhereIsHeldUntilAnotherHasEnded() {
    List<String> answers = threeAgents();
    assertThat(answers).hasSize(6);
    assertThat(answers.subList(0, 3))
        .containsExactly("{\"replica\":0}", "{\"replica\":1}", "{\"wake\":2.0,\"hold\":true}");
    assertThat(answers.get(3)).as("it is back in a second").contains("\"dispatch\":[]");
    assertThat(answers.get(4)).isEqualTo("{\"replica\":0}");
    assertThat(answers.get(5))
        .contains("\"drop\":[[0,0],[0,1],", "\"dispatch\":[{\"i\":2,\"replica\":0}]");
  }

  @Test
  void cachesThatTakeNoHintsGetNone() {
    assertThat(threeAgents("--eviction", "none").toString()).doesNotContain("drop", "touch");
    assertThat(threeAgents("--eviction", "touches").toString()).doesNotContain("drop");
    Finished bad =
        CommandLineRun.withInput(
            new byte[0], "bench", "schedule", "--stdio", "--eviction", "often");
    assertThat(bad.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(bad.err()).contains("--eviction", "HINTS");
  }

  @Test
  void anAgentBeyondTheBoundThatIsGivenHasOthersPagedOut() {
    String[] lines = {
      INIT,
      turn(0, 0, 0, "a", false),
      turn(1, 0, 1_000, "b", false),
      turn(2, 0, 2_000, "c", false),
      event("first", 5, 0, 0),
      "{'ev':'finish','t':6,'i':0,'replica':0,'next_use_s':1}",
      "{'ev':'poll','t':6,'held':[2]}",
    };
    byte[] input =
        (String.join("\n", lines).replace('\'', '"') + "\n").getBytes(StandardCharsets.UTF_8);
    assertThat(
            CommandLineRun.withInput(input, "bench", "schedule", "--stdio", "--bound", "7").out())
        .contains("\"dispatch\":[]");
    assertThat(
            CommandLineRun.withInput(input, "bench", "schedule", "--stdio", "--bound", "5").out())
        .contains("\"drop\":[[0,0],", "\"dispatch\":[{\"i\":2,\"replica\":0}]");
    Finished bad = CommandLineRun.withInput(input, "bench", "schedule", "--stdio", "--bound", "0");
    assertThat(bad.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(bad.err()).hasLineCount(1).contains("--bound is 0.0");
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
    assertThat(run(INIT, "{" + " ".repeat(1 << 22)).err())
        .contains("line 2 is no event: it is longer than 4194304 characters");
  }
}
