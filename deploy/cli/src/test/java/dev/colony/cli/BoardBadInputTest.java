package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.server.node.LoopbackPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a board command cannot use is refused in one line before anything is touched. */
class BoardBadInputTest {

  private static final String SCOPE = "tenant:acme:colony:billing";

  @TempDir private Path folder;

  @Test
  void aScopeThatIsNone() {
    for (String none :
        List.of("acme", "", "tenant:", "tenant:a b", "colony:x:tenant:a", "tenant:a:agent:x")) {
      refused("SCOPE", "get", none);
      refused("SCOPE", "watch", none);
      refused("--after", "list", "--after", none);
    }
  }

  @Test
  void aKeyThatIsNone() {
    refused("is empty", "get", SCOPE, "");
    refused("wildcard", "put", SCOPE, "a*", "1");
    refused("control character", "put", SCOPE, "a\u001bb", "1");
    refused("slash", "delete", SCOPE, "/a");
    refused("scope's path", "history", SCOPE, "tenant:a");
    refused("1024", "get", SCOPE, "k".repeat(2_000));
    refused("--cursor", "get", SCOPE, "--cursor", "a*");
  }

  @Test
  void aValueThatIsNoJson() {
    refused("--text", "put", SCOPE, "k", "plain text");
    refused("empty", "put", SCOPE, "k", "");
    refused("VALUE", "put", SCOPE, "k");
  }

  @Test
  void aValueThatCannotBeStored() {
    refused(
        "$.a holds half a surrogate pair at character 2",
        "put",
        SCOPE,
        "k",
        "{\"a\":\"xy\\ud83d\"}");
    refused("$ is a number beyond what a double holds", "put", SCOPE, "k", "1e999999999");
    refused(
        "$[0] is a whole number of more than 1000",
        "put",
        SCOPE,
        "k",
        "[1" + "0".repeat(1_000) + "]");
  }

  @Test
  void aValueThatIsTooLong() throws Exception {
    Path config =
        Files.writeString(folder.resolve("small.conf"), "colony.blackboard.max-value-bytes = 10");
    Finished refused =
        CommandLineRun.withInput(
            new byte[11], line("put", SCOPE, "k", "-", "--config", config.toString()));
    Rig.assertOneLine(refused, 2, "more than 10 bytes");
  }

  @Test
  void anOptionThatCannotBeUsed() {
    refused("exclusive", "put", SCOPE, "k", "1", "--expect", "1", "--if-absent");
    refused("expectedVersion", "put", SCOPE, "k", "1", "--expect", "-1");
    refused("--expect", "put", SCOPE, "k", "1", "--expect", "two");
    refused("--ttl", "put", SCOPE, "k", "1", "--ttl", "soon");
    refused("ttl", "put", SCOPE, "k", "1", "--ttl", "0s");
    refused("--tag", "put", SCOPE, "k", "1", "--tag", "");
    refused("--writer", "put", SCOPE, "k", "1", "--writer", " ");
    refused("--limit is 0", "get", SCOPE, "--limit", "0");
    refused("--limit is 10001", "history", SCOPE, "--limit", "10001");
    refused("--limit", "list", "--limit", "many");
    refused("leave out", "get", SCOPE, "k", "--tag", "x");
    refused("--after", "history", SCOPE, "--after", "yesterday");
    refused("--from", "watch", SCOPE, "--from", "yesterday");
    refused("--count is 0", "watch", SCOPE, "--count", "0");
    refused("--type", "watch", SCOPE, "--type", "read");
    refused("name of a subscription", "watch", SCOPE, "--durable", "a b");
    refused("--keys", "watch", SCOPE, "--keys", "");
    refused("Missing required subcommand");
  }

  @Test
  void aRedisUrlThatIsNone() {
    refused("no Redis URL", "list", "--redis-url", "gpu-1:6379");
    Finished secret = refused("no Redis URL", "list", "--redis-url", "http://u:secret@host");
    assertThat(secret.err()).doesNotContain("secret");
  }

  @Test
  void noRedisAtAll() {
    Rig.assertOneLine(CommandLineRun.of(line("list")), 5, "nothing is up in ", "--redis-url");
  }

  @Test
  void aRedisThatDoesNotAnswer() {
    String silent = "redis://127.0.0.1:" + LoopbackPorts.free(1).getFirst();
    Finished unreachable = CommandLineRun.of(line("list", "--redis-url", silent));
    Rig.assertOneLine(unreachable, 5, silent.substring("redis://".length()));
  }

  private Finished refused(String part, String... arguments) {
    Finished finished = CommandLineRun.of(line(arguments));
    Rig.assertOneLine(finished, 2, part);
    return finished;
  }

  private String[] line(String... arguments) {
    List<String> line = new ArrayList<>(List.of("board"));
    line.addAll(List.of(arguments));
    if (arguments.length > 0) {
      line.addAll(2, List.of("--state", folder.resolve("state").toString()));
    }
    return line.toArray(String[]::new);
  }
}
