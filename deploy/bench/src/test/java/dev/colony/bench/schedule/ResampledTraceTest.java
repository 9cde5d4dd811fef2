package dev.colony.bench.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.JsonLines;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What another trace has in common with the one that it is drawn from. */
class ResampledTraceTest {

  private static final int SESSIONS = 20;
  private static final int TURNS = 5;

  /** Block 0 is in every prompt; each session has blocks of its own. */
  private static List<ObjectNode> sessions() {
    List<ObjectNode> requests = new ArrayList<>();
    for (int turn = 0; turn < TURNS; turn++) {
      for (int session = 0; session < SESSIONS; session++) {
        ObjectNode request =
            JsonLines.JSON
                .createObjectNode()
                .put("timestamp", 1_000 * session + 100 * turn)
                .put("input_length", 512 * (turn + 2))
                .put("session_id", "s" + session)
                .put("think_ms", 50);
        ArrayNode blocks = request.putArray("hash_ids").add(0);
        for (int i = 0; i <= turn; i++) {
          blocks.add(1 + session * TURNS + i);
        }
        ArrayNode deps = request.putArray("deps");
        if (turn > 0) {
          deps.add((turn - 1) * SESSIONS + session);
        }
        requests.add(request);
      }
    }
    return requests;
  }

  private static List<Long> blocks(ObjectNode request) {
    List<Long> blocks = new ArrayList<>();
    request.path("hash_ids").forEach(block -> blocks.add(block.asLong()));
    return blocks;
  }

  @Test
  void conversationsStayWholeAndShareWhatTheyShared() {
    List<ObjectNode> drawn = ResampledTrace.of(sessions(), 7);
    assertThat(drawn).hasSize(SESSIONS * TURNS);
    Map<String, List<ObjectNode>> bySession = new HashMap<>();
    for (int i = 0; i < drawn.size(); i++) {
      ObjectNode request = drawn.get(i);
      List<ObjectNode> before =
          bySession.computeIfAbsent(request.path("session_id").asText(), key -> new ArrayList<>());
      JsonNode deps = request.path("deps");
      assertThat(deps.size()).isEqualTo(before.isEmpty() ? 0 : 1);
      if (!before.isEmpty()) {
        assertThat(deps.path(0).asInt()).isLessThan(i);
        assertThat(drawn.get(deps.path(0).asInt())).isSameAs(before.getLast());
        assertThat(blocks(request)).startsWith(blocks(before.getLast()).toArray(Long[]::new));
      }
      before.add(request);
    }
    assertThat(bySession).hasSize(SESSIONS);
    Set<Long> seen = new HashSet<>();
    for (List<ObjectNode> session : bySession.values()) {
      assertThat(session).hasSize(TURNS);
      List<Long> longest = blocks(session.getLast());
      assertThat(longest).startsWith(0L);
      longest.stream()
          .skip(1)
          .forEach(block -> assertThat(seen.add(block)).as("its own: %s", block).isTrue());
    }
    assertThat(bySession.keySet()).as("drawn with replacement").anyMatch(key -> key.endsWith("#2"));
  }

  @Test
  void oneSeedIsOneTraceInTheOrderOfTime() {
    List<ObjectNode> drawn = ResampledTrace.of(sessions(), 7);
    assertThat(drawn).isEqualTo(ResampledTrace.of(sessions(), 7));
    assertThat(drawn).isNotEqualTo(ResampledTrace.of(sessions(), 8));
    double before = Double.NEGATIVE_INFINITY;
    for (ObjectNode request : drawn) {
      assertThat(request.path("timestamp").asDouble()).isGreaterThanOrEqualTo(before);
      before = request.path("timestamp").asDouble();
    }
  }

  @Test
  void requestsWithoutSessionsStayTogetherByTheirBeginning() {
    List<ObjectNode> requests = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      ObjectNode request =
          JsonLines.JSON.createObjectNode().put("timestamp", 100 * i).put("input_length", 1_536);
      request.putArray("hash_ids").add(0).add(1 + i % 10).add(100 + i);
      requests.add(request);
    }
    List<ObjectNode> drawn = ResampledTrace.of(requests, 3);
    Map<Long, Integer> conversations = new HashMap<>();
    for (ObjectNode request : drawn) {
      assertThat(request.has("session_id")).isFalse();
      assertThat(blocks(request)).startsWith(0L);
      conversations.merge(blocks(request).get(1), 1, Integer::sum);
    }
    assertThat(conversations).hasSize(10);
    assertThat(new TreeSet<>(conversations.values())).containsExactly(3);
  }
}
