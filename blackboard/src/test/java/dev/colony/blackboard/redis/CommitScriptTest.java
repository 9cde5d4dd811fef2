package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Entry;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a benchmarking tool sends is a write like any other. */
class CommitScriptTest extends RedisTest {

  @Test
  void sentAsAToolDoesItWritesAnEntryOfThatSize() {
    CommitScript script =
        new CommitScript(scope, "tool", "k-__rand_int__", 512, UNSWEPT, Instant.now());
    for (int n = 1; n <= 2; n++) {
      String random = "%012d".formatted(n);
      String[] keysSent = filled(script.keys(), random).toArray(String[]::new);
      byte[][] arguments =
          filled(script.arguments(), "000000000007").stream()
              .map(RedisTest::bytes)
              .toArray(byte[][]::new);
      byte[] reply =
          get(redis().<byte[]>eval(script.text(), ScriptOutputType.VALUE, keysSent, arguments));
      assertThat(new String(reply, StandardCharsets.US_ASCII)).startsWith("D ");
    }
    Entry entry = get(board().read("k-000000000007")).orElseThrow();
    assertThat(entry.version()).isEqualTo(2);
    assertThat(entry.createdBy()).isEqualTo("tool");
    assertThat(entry.value().toString()).hasSize(512);
    assertThat(history(board())).hasSize(2);
  }

  private static List<String> filled(List<String> texts, String random) {
    return texts.stream().map(text -> text.replace("__rand_int__", random)).toList();
  }
}
