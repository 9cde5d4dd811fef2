package dev.colony.bench.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws another trace from one: as many of its conversations, with replacement, that begin at other
 * times. What a scheduler was fitted to in the one, it does not find in the other.
 *
 * <p>A conversation is a session, or where requests have none those that share their first two
 * blocks. One that is drawn again has blocks of its own where no other conversation shares them.
 *
 * <p>Source: Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7(1),
 * 1979.
 */
final class ResampledTrace {

  /** Blocks that two requests of one conversation share, where nothing else tells. */
  private static final int SHARED = 2;

  private record Drawn(double at, int conversation, int copy) {}

  private record Placed(double at, int drawn, int from, ObjectNode request) {}

  private final List<ObjectNode> requests;

  /** The requests of each conversation by their place in the trace. */
  private final List<List<Integer>> conversations = new ArrayList<>();

  /** The conversation of each block, or {@link #SEVERAL}. */
  private final Map<Long, Integer> owners = new HashMap<>();

  private static final int SEVERAL = -1;

  private final Map<String, Long> renamed = new HashMap<>();
  private long nextBlock;

  private ResampledTrace(List<ObjectNode> requests) {
    this.requests = requests;
    Map<String, List<Integer>> grouped = new LinkedHashMap<>();
    for (int i = 0; i < requests.size(); i++) {
      grouped.computeIfAbsent(conversation(requests.get(i), i), key -> new ArrayList<>()).add(i);
    }
    conversations.addAll(grouped.values());
    for (int number = 0; number < conversations.size(); number++) {
      for (int request : conversations.get(number)) {
        for (JsonNode block : requests.get(request).path("hash_ids")) {
          int owner = number;
          owners.merge(block.asLong(), owner, (a, b) -> a.equals(b) ? a : SEVERAL);
          nextBlock = Math.max(nextBlock, block.asLong() + 1);
        }
      }
    }
  }

  /** Another trace of the same seed is the same trace. */
  static List<ObjectNode> of(List<ObjectNode> requests, long seed) {
    return new ResampledTrace(requests).draw(new SplittableRandom(seed));
  }

  private static String conversation(ObjectNode request, int number) {
    if (request.path("session_id").isTextual()) {
      return request.path("session_id").asText();
    }
    JsonNode blocks = request.path("hash_ids");
    if (blocks.size() < SHARED) {
      return "request " + number;
    }
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < SHARED; i++) {
      key.append(blocks.path(i).asLong()).append(' ');
    }
    return key.toString();
  }

  private double time(int request) {
    return requests.get(request).path("timestamp").asDouble();
  }

  private double begins(int conversation) {
    return conversations.get(conversation).stream().mapToDouble(this::time).min().orElse(0);
  }

  private List<ObjectNode> draw(SplittableRandom random) {
    double from = Double.POSITIVE_INFINITY;
    double to = Double.NEGATIVE_INFINITY;
    for (int number = 0; number < conversations.size(); number++) {
      from = Math.min(from, begins(number));
      to = Math.max(to, begins(number));
    }
    Map<Integer, Integer> copies = new HashMap<>();
    List<Drawn> drawn = new ArrayList<>();
    for (int i = 0; i < conversations.size(); i++) {
      int conversation = random.nextInt(conversations.size());
      // Beginnings that are spread evenly are those of a Poisson process of that many.
      double at = from + random.nextDouble() * (to - from);
      drawn.add(new Drawn(at, conversation, copies.merge(conversation, 1, Integer::sum)));
    }
    return inOrder(drawn);
  }

  private List<ObjectNode> inOrder(List<Drawn> drawn) {
    List<Placed> placed = new ArrayList<>();
    for (int number = 0; number < drawn.size(); number++) {
      Drawn one = drawn.get(number);
      double moved = one.at() - begins(one.conversation());
      for (int request : conversations.get(one.conversation())) {
        placed.add(
            new Placed(
                time(request) + moved, number, request, copy(request, one, time(request) + moved)));
      }
    }
    placed.sort(
        Comparator.comparingDouble(Placed::at)
            .thenComparingInt(Placed::drawn)
            .thenComparingInt(Placed::from));
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < placed.size(); i++) {
      places.put(placed.get(i).drawn() + "/" + placed.get(i).from(), i);
    }
    List<ObjectNode> all = new ArrayList<>();
    for (Placed one : placed) {
      JsonNode before = requests.get(one.from()).path("deps");
      if (before.isArray()) {
        ArrayNode deps = one.request().putArray("deps");
        before.forEach(request -> {
          Integer place = places.get(one.drawn() + "/" + request.asInt());
          if (place != null) {
            deps.add(place);
          }
        });
      }
      all.add(one.request());
    }
    return all;
  }

  private ObjectNode copy(int request, Drawn drawn, double at) {
    ObjectNode copy = requests.get(request).deepCopy();
    copy.put("timestamp", Math.round(at));
    if (copy.path("session_id").isTextual()) {
      copy.put("session_id", copy.path("session_id").asText() + "#" + drawn.copy());
    }
    ArrayNode blocks = copy.putArray("hash_ids");
    requests
        .get(request)
        .path("hash_ids")
        .forEach(block -> blocks.add(renamed(block.asLong(), drawn.copy())));
    return copy;
  }

  private long renamed(long block, int copy) {
    return copy == 1 || owners.get(block) == SEVERAL
        ? block
        : renamed.computeIfAbsent(block + "#" + copy, key -> nextBlock++);
  }
}
