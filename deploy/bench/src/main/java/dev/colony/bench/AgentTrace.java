package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.cli.terminal.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/**
 * What agents ask of a model, in the order in which they begin: turns of sessions that wait for
 * each other and for tools.
 */
record AgentTrace(List<Turn> turns) {

  /**
   * A model call.
   *
   * @param agent of the session, whose prompts begin alike
   * @param blocks of its prompt; an equal one after equal ones is the same text
   * @param after places in the trace of the turns that have to be answered before, all smaller
   * @param pauseMillis after these, or from the beginning of the trace
   */
  record Turn(
      String session, String agent, List<Long> blocks, List<Integer> after, long pauseMillis) {

    Turn {
      if (blocks.isEmpty()) {
        throw new IllegalArgumentException("a prompt has no blocks");
      }
    }

    /** Its prompt in made-up words, which differ from one seed to another. */
    String text(String seed, int blockWords) {
      StringBuilder text = new StringBuilder();
      for (long block : blocks) {
        Random random = new Random(31L * seed.hashCode() + block);
        text.append(BenchTypes.Conversation.words(random, blockWords)).append('\n');
      }
      return text.toString();
    }
  }

  /** Of a session that is made up. */
  static final int MOST_TURNS = 400;

  private static final int SHARED_BLOCKS = 8;
  private static final int DOCUMENT_BLOCKS = 16;
  private static final int OWN_BLOCKS = 8;
  private static final int SESSIONS_A_DOCUMENT = 3;
  private static final double TOOL_MILLIS = 5000;

  /**
   * Sessions over documents that three of them share, all with one preamble. Each prompt is the one
   * before and more; each other session has a sub-agent of two turns behind its first, which it
   * waits for.
   *
   * @param pace by which pauses are shorter than of tools that take 5 s on average
   */
  static AgentTrace made(int sessions, int turns, double pace, long seed) {
    Random random = new Random(seed);
    List<Turn> all = new ArrayList<>();
    int[] last = new int[sessions];
    List<List<Long>> prompts = new ArrayList<>();
    for (int session = 0; session < sessions; session++) {
      List<Long> prompt = new ArrayList<>(blocks(0, SHARED_BLOCKS));
      prompt.addAll(blocks(1 + session / SESSIONS_A_DOCUMENT, DOCUMENT_BLOCKS));
      prompts.add(prompt);
    }
    for (int turn = 0; turn < turns; turn++) {
      for (int session = 0; session < sessions; session++) {
        String name = "session-" + session;
        long own = 1_000_000L + session * 1000L + turn;
        List<Integer> before = new ArrayList<>(turn == 0 ? List.of() : List.of(last[session]));
        if (turn == 1 && session % 2 == 0) {
          List<Long> sub = new ArrayList<>(prompts.get(session).subList(0, SHARED_BLOCKS));
          for (int one = 0; one < 2; one++) {
            sub.addAll(blocks(own + MOST_TURNS + one, OWN_BLOCKS));
            all.add(new Turn(name, "sub", List.copyOf(sub), List.copyOf(before), 0));
            before = new ArrayList<>(List.of(all.size() - 1));
          }
        }
        prompts.get(session).addAll(blocks(own, OWN_BLOCKS));
        long pause = (long) (2 * TOOL_MILLIS / pace * random.nextDouble());
        all.add(
            new Turn(name, "main", List.copyOf(prompts.get(session)), List.copyOf(before), pause));
        last[session] = all.size() - 1;
      }
    }
    return new AgentTrace(all);
  }

  /** Of all prompts. */
  long blocks() {
    return turns.stream().mapToLong(turn -> turn.blocks().size()).sum();
  }

  /** The place of the next turn of the same agent; empty behind its last. */
  OptionalInt next(int at) {
    Turn turn = turns.get(at);
    return IntStream.range(at + 1, turns.size())
        .filter(i ->
            turns.get(i).session().equals(turn.session())
                && turns.get(i).agent().equals(turn.agent()))
        .findFirst();
  }

  private static List<Long> blocks(long part, int count) {
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(part * 1000 + i);
    }
    return blocks;
  }

  /**
   * A recorded one, of JSON lines with {@code session_id}, {@code hash_ids}, {@code deps}, {@code
   * think_ms} and {@code timestamp}, as Mooncake's traces have them.
   *
   * @param sessions the first so many are taken
   * @param turns of each, the first so many
   * @param pace by which pauses are shorter than recorded
   * @throws CommandFailure if it is none
   */
  static AgentTrace read(Path file, int sessions, int turns, double pace) throws IOException {
    JsonMapper json = JsonMapper.builder().build();
    Map<String, Integer> taken = new HashMap<>();
    Map<Integer, Integer> places = new HashMap<>();
    List<Turn> all = new ArrayList<>();
    long begins = -1;
    int number = 0;
    try (InputStream in = Files.newInputStream(file);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in,
                    StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine(), number++) {
        JsonNode one = json.readTree(line);
        String session = one.path("session_id").asText();
        boolean known = taken.containsKey(session);
        if (!known && taken.size() == sessions || taken.getOrDefault(session, 0) == turns) {
          continue;
        }
        taken.merge(session, 1, Integer::sum);
        long at = one.path("timestamp").asLong();
        begins = begins < 0 ? at : begins;
        List<Integer> after =
            one.path("deps")
                .valueStream()
                .map(dep -> places.get(dep.asInt()))
                .filter(place -> place != null)
                .toList();
        long pause = after.isEmpty() ? at - begins : one.path("think_ms").asLong();
        List<Long> blocks = one.path("hash_ids").valueStream().map(JsonNode::asLong).toList();
        places.put(number, all.size());
        String agent = one.path("agent").asText();
        all.add(new Turn(session, agent, blocks, after, (long) (pause / pace)));
      }
      return new AgentTrace(List.copyOf(all));
    } catch (JsonProcessingException | IllegalArgumentException no) {
      throw CommandFailure.badInput(
          "--trace %s, line %d, is no request of a trace".formatted(file, number + 1));
    }
  }

  /**
   * The part of all blocks that one cache for all servers would have, were each turn answered in
   * this order and always that block evicted which is wanted last. No cache of that size has more
   * (Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
   * Journal 1966).
   *
   * @param capacity blocks, 1 or more
   */
  double mostHits(long capacity) {
    Map<Long, Deque<Integer>> uses = new HashMap<>();
    for (int i = 0; i < turns.size(); i++) {
      for (long block : turns.get(i).blocks()) {
        uses.computeIfAbsent(block, any -> new ArrayDeque<>()).add(i);
      }
    }
    Map<Long, Integer> cache = new HashMap<>();
    NavigableMap<Integer, Deque<Long>> byUse = new TreeMap<>();
    long hits = 0;
    long all = 0;
    for (Turn turn : turns) {
      hits += turn.blocks().stream().takeWhile(cache::containsKey).count();
      all += turn.blocks().size();
      for (long block : turn.blocks().reversed()) {
        uses.get(block).poll();
        int next = Objects.requireNonNullElse(uses.get(block).peek(), Integer.MAX_VALUE);
        cache.put(block, next);
        byUse.computeIfAbsent(next, any -> new ArrayDeque<>()).add(block);
      }
      while (cache.size() > capacity) {
        Map.Entry<Integer, Deque<Long>> last = byUse.lastEntry();
        cache.remove(last.getValue().poll(), last.getKey());
        if (last.getValue().isEmpty()) {
          byUse.remove(last.getKey());
        }
      }
    }
    return (double) hits / all;
  }
}
