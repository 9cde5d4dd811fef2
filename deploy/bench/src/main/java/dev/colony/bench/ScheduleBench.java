package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter;
import dev.colony.vcm.schedule.CostRouter.Decision;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The router and the scheduler of agents as a simulator drives them, one JSON object a line: the
 * replicas are as the simulator tells of them. Their speed is learned; what the simulator tells of
 * it is not read.
 */
@Command(
    name = "schedule",
    description = {
      "The scheduler itself, for a simulator of replicas to drive: reads events from standard"
          + " input, one JSON object a line, and answers each prompt with a replica.",
      "docs/design/scheduling.md names the simulator's options.",
    })
final class ScheduleBench implements Callable<Integer> {

  /** The longest line, in characters: a prompt of 300,000 blocks. */
  private static final int MOST_LINE_CHARS = 4 << 20;

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  @Option(
      names = "--stdio",
      required = true,
      description = "Talks to the simulator over standard input and output.")
  private boolean stdio;

  @Option(
      names = "--bound",
      paramLabel = "SECONDS",
      defaultValue = "900",
      description =
          "That an agent waits before others are paged out for it (default: ${DEFAULT-VALUE}).")
  private double bound;

  @Option(
      names = "--eviction",
      paramLabel = "HOW",
      defaultValue = "hints",
      description =
          "How caches are told what is wanted least: hints, touches or none (default: "
              + "${DEFAULT-VALUE}).")
  private EvictionControl control;

  private final RoutingSettings settings = RoutingSettings.fromConfig(ConfigFactory.load());
  private final CostRouter router = settings.router();
  private final Map<Integer, Dispatch> calls = new HashMap<>();
  private final Set<Integer> half = new HashSet<>();
  private final List<JsonNode> untold = new ArrayList<>();
  private final List<Orders.Eviction> evictions = new ArrayList<>();
  private final List<Orders.Touch> touches = new ArrayList<>();
  private ClusterState state;
  private WorkingSetScheduler agents;
  private int block;

  /** Reads events until the input ends, and answers those that want an answer. */
  @Override
  public Integer call() throws IOException {
    Bench.check("--bound", bound, 1, 1_000_000);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    int number = 1;
    try {
      for (String line = line(in); line != null; number++, line = line(in)) {
        Optional<String> answer = answer(line);
        if (answer.isPresent()) {
          out.println(answer.get());
          out.flush();
        }
      }
      return ExitCode.OK.status();
    } catch (JsonProcessingException bad) {
      throw notAnEvent(number, bad.getOriginalMessage(), bad);
    } catch (IllegalArgumentException | IllegalStateException bad) {
      throw notAnEvent(number, bad.getMessage(), bad);
    }
  }

  private static String line(Reader in) throws IOException {
    StringBuilder line = new StringBuilder();
    int read = in.read();
    if (read < 0) {
      return null;
    }
    for (; read >= 0 && read != '\n'; read = in.read()) {
      if (line.length() == MOST_LINE_CHARS) {
        throw new IllegalArgumentException("it is longer than " + MOST_LINE_CHARS + " characters");
      }
      line.append((char) read);
    }
    return line.toString();
  }

  private static CommandFailure notAnEvent(int line, String why, Exception cause) {
    return CommandFailure.badInput("line " + line + " is no event: " + why, cause);
  }

  /** Takes an event; answers it where it wants an answer. */
  private Optional<String> answer(String line) throws JsonProcessingException {
    JsonNode event = JSON.readTree(line);
    String kind = event.path("ev").asText();
    if (state == null && !kind.equals("init")) {
      throw new IllegalStateException("the first event must be init");
    }
    return switch (kind) {
      case "init" -> {
        init(event);
        yield Optional.empty();
      }
      case "first", "finish", "evict" -> {
        untold.add(event);
        yield Optional.empty();
      }
      case "arrive" -> {
        tell();
        yield Optional.of(arrive(event).toString());
      }
      case "poll" -> {
        tell();
        yield Optional.of(poll(event).toString());
      }
      default -> throw new IllegalArgumentException("unknown event '" + kind + "'");
    };
  }

  /** The simulator tells of first tokens and evictions later than of ends: all in order of time. */
  private void tell() {
    untold.sort(Comparator.comparingDouble(event -> event.path("t").asDouble()));
    for (JsonNode event : untold) {
      double at = event.path("t").asDouble();
      switch (event.path("ev").asText()) {
        case "first" -> {
          Dispatch begun = call(event);
          if (begun.ask().session().isPresent()) {
            agents.firstToken(event.path("i").asLong(), event.path("hit").asInt(), at);
          } else {
            state.firstToken(begun, at);
            state.cached(begun, event.path("hit").asInt());
          }
          state.stored(begun.replica(), begun.ask().blocks());
          told(event);
        }
        case "finish" -> {
          Dispatch ended = call(event);
          if (ended.ask().session().isPresent()) {
            take(
                agents.ended(
                    event.path("i").asLong(), returnsIn(event), remainingTurns(event), true, at));
          } else {
            state.ended(ended, at, true);
          }
          told(event);
        }
        default ->
            event
                .path("blocks")
                .forEach(one -> state.removed(one.path(0).asText(), one.path(1).asLong()));
      }
    }
    untold.clear();
  }

  /** What a node asks of the caches while it tells of something goes with the next answer. */
  private void take(Orders orders) {
    evictions.addAll(orders.evictions());
    touches.addAll(orders.touches());
    orders.started().forEach(started -> calls.put((int) started.request(), started.dispatch()));
  }

  private static OptionalDouble returnsIn(JsonNode event) {
    JsonNode next = event.path("next_use_s");
    return next.isNumber() ? OptionalDouble.of(next.asDouble()) : OptionalDouble.empty();
  }

  private static OptionalInt remainingTurns(JsonNode event) {
    JsonNode turns = event.path("remaining_turns");
    return turns.isInt() ? OptionalInt.of(turns.asInt()) : OptionalInt.empty();
  }

  private ObjectNode poll(JsonNode event) {
    Orders orders = agents.tried(event.path("t").asDouble());
    take(orders);
    ObjectNode answer = answer(orders.wakeAt());
    ArrayNode dispatch = answer.putArray("dispatch");
    orders
        .started()
        .forEach(started ->
            dispatch
                .addObject()
                .put("i", started.request())
                .put("replica", Integer.parseInt(started.run().replica())));
    return answer;
  }

  private ObjectNode answer(OptionalDouble wakeAt) {
    ObjectNode answer = JSON.createObjectNode();
    if (!evictions.isEmpty()) {
      ArrayNode drop = answer.putArray("drop");
      for (Orders.Eviction eviction : evictions) {
        for (long block : eviction.blocks()) {
          drop.addArray().add(Integer.parseInt(eviction.replica())).add(block);
        }
      }
      evictions.clear();
    }
    if (!touches.isEmpty()) {
      ArrayNode touch = answer.putArray("touch");
      for (Orders.Touch one : touches) {
        ArrayNode blocks = touch.addArray().add(Integer.parseInt(one.replica())).addArray();
        Arrays.stream(one.blocks()).forEach(blocks::add);
      }
      touches.clear();
    }
    wakeAt.ifPresent(at -> answer.put("wake", at));
    return answer;
  }

  private Dispatch call(JsonNode event) {
    Dispatch call = calls.get(event.path("i").asInt());
    if (call == null) {
      throw new IllegalArgumentException("no call " + event.path("i") + " was sent");
    }
    return call;
  }

  /** A call is known until both its first token and its end were told. */
  private void told(JsonNode event) {
    int call = event.path("i").asInt();
    if (!half.add(call)) {
      half.remove(call);
      calls.remove(call);
    }
  }

  private void init(JsonNode event) {
    block = event.path("block").asInt();
    int blocks = event.path("cache").asInt();
    state = new ClusterState(settings.schedule(block).withCacheBlocks(blocks));
    for (int replica = 0; replica < event.path("n").asInt(); replica++) {
      state.join(Integer.toString(replica));
      state.cacheHolds(Integer.toString(replica), blocks);
    }
    agents =
        new WorkingSetScheduler(
            WorkingSetSettings.DEFAULT.withBoundSeconds(bound),
            state,
            id -> Access.OPEN,
            id -> control,
            block);
  }

  private ObjectNode arrive(JsonNode event) {
    double now = event.path("t").asDouble();
    long[] chain =
        StreamSupport.stream(event.path("hash_ids").spliterator(), false)
            .mapToLong(JsonNode::asLong)
            .toArray();
    Ask ask =
        Ask.even(chain, block, event.path("input_length").asLong())
            .withOutput(event.path("output_length").asLong());
    if (event.path("session_id").isTextual()) {
      String session = event.path("session_id").asText();
      Orders orders =
          agents.arrived(
              event.path("i").asLong(),
              session + "/" + event.path("agent").asInt(),
              ask.of(session),
              event.path("last").asBoolean(),
              now);
      take(orders);
      ObjectNode answer = answer(orders.wakeAt());
      return orders.started().isEmpty()
          ? answer.put("hold", true)
          : answer.put("replica", Integer.parseInt(orders.started().getFirst().run().replica()));
    }
    return switch (router.route(state.snapshot(now, id -> Access.OPEN), ask)) {
      case Decision.Run run -> {
        calls.put(event.path("i").asInt(), state.dispatched(ask, run, now, true));
        yield answer(OptionalDouble.empty()).put("replica", Integer.parseInt(run.replica()));
      }
      case Decision.Hold hold -> JSON.createObjectNode().put("hold", true);
    };
  }
}
