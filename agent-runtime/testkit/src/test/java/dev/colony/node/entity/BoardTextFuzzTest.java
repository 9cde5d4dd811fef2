package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.SessionId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Any text in what is written to the blackboard, against a real Redis, and in sessions' names. */
class BoardTextFuzzTest {

  private final AnyText any = new AnyText();
  private final RedisConnections redis =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  private final RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS);

  @AfterEach
  void close() {
    boards.close();
    redis.close();
  }

  @Test
  void entriesOfTheBlackboard() {
    Blackboard board =
        boards.open(Scope.session("acme", "fuzz", UUID.randomUUID().toString()), "fuzz");
    List<Write> written = new ArrayList<>();
    int refused = 0;
    for (int from = 0; from < 9_000; from += 500) {
      Map<Write, CompletableFuture<?>> stored = new LinkedHashMap<>();
      for (int i = from; i < from + 500; i++) {
        String text = any.text();
        boolean whole = AnyText.whole(text);
        try {
          Write write =
              switch (i % 4) {
                case 0 ->
                    Write.of("v" + i, JsonNodeFactory.instance.objectNode().put("text", text));
                case 1 -> Write.value("t" + i, i).tags(text);
                case 2 -> Write.value("k" + i + text, i);
                default -> Write.value("m" + i, i).metadata(Map.of("text", text));
              };
          stored.put(write, board.write(write).toCompletableFuture());
        } catch (IllegalArgumentException named) {
          refused(whole, named);
          refused++;
        }
      }
      for (Map.Entry<Write, CompletableFuture<?>> one : stored.entrySet()) {
        Write write = one.getKey();
        boolean whole =
            AnyText.whole(write.key())
                && AnyText.whole(write.value().path("text").asText())
                && write.tags().stream().allMatch(AnyText::whole)
                && write.metadata().values().stream().allMatch(AnyText::whole);
        try {
          one.getValue().join();
          assertThat(whole).isTrue();
          written.add(write);
        } catch (CompletionException failed) {
          assertThat(failed.getCause()).isInstanceOf(IllegalArgumentException.class);
          refused(whole, failed.getCause());
          refused++;
        }
      }
    }
    for (int i = 0; i < written.size(); i += 200) {
      List<Write> some = written.subList(i, Math.min(written.size(), i + 200));
      List<Entry> found = join(board.readAll(some.stream().map(Write::key).toList()));
      assertThat(found).hasSameSizeAs(some);
      Map<String, Entry> byKey = new ConcurrentHashMap<>();
      found.forEach(entry -> byKey.put(entry.key(), entry));
      for (Write write : some) {
        Entry entry = byKey.get(write.key());
        assertThat(entry.value()).isEqualTo(write.value());
        assertThat(entry.tags()).isEqualTo(write.tags());
        assertThat(entry.metadata()).isEqualTo(write.metadata());
      }
    }
    assertThat(refused).isBetween(500, 7_000);
  }

  private static void refused(boolean whole, Throwable named) {
    assertThat(AnyText.whole(named.getMessage())).isTrue();
    if (whole) {
      assertThat(named.getMessage()).containsAnyOf("control character", "wildcard", "characters");
    } else {
      assertThat(named.getMessage())
          .containsAnyOf("half a surrogate pair at character ", "control character", "characters");
    }
  }

  @Test
  void namesOfSessions() {
    for (String text : any.texts(1_000)) {
      try {
        assertThat(AnyText.whole(new SessionId(text).value())).isTrue();
      } catch (IllegalArgumentException named) {
        assertThat(named.getMessage()).isNotEmpty();
      }
    }
  }
}
