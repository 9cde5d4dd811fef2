package dev.colony.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.Decision;
import dev.colony.vcm.schedule.Dispatch;
import dev.colony.vcm.schedule.Router;
import dev.colony.vcm.schedule.reuse.ReuseEviction;
import dev.colony.vcm.schedule.reuse.ReuseSettings;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import dev.colony.vcm.schedule.workingset.Orders;
import dev.colony.vcm.schedule.workingset.WorkingSetScheduler;
import dev.colony.vcm.schedule.workingset.WorkingSetSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
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

/** Lets a simulator drive the router of model calls, one JSON object a line. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    description =
        "Routes the prompts of a simulator as the gateway routes model calls: reads"
            + " events from standard input, one JSON object a line, and answers each prompt"
            + " with a replica.")
final class ScheduleCommand implements Callable<Integer> {

  @Option(names = "--stdio", required = true, description = "Talks over standard input and output.")
  private boolean stdio;

  @Option(
      names = "--eviction",
      defaultValue = "hints",
      description =
          "How caches are told what is wanted least: hints, touches or none; ${DEFAULT-VALUE}.")
  private EvictionControl eviction;

  @Option(
      names = "--bound",
      paramLabel = "SECONDS",
      description =
          "That an agent waits before others are paged out for it (default: as nodes have it).")
  private Double bound;

  @Override
  public Integer call() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    Simulated simulated =
        new Simulated(RoutingSettings.fromConfig(ConfigFactory.load()), agents(), eviction);
    int number = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      number++;
      try {
        Optional<String> answer = simulated.answer(line);
        if (answer.isPresent()) {
          out.println(answer.get());
          out.flush();
        }
      } catch (JsonProcessingException bad) {
        throw notAnEvent(number, bad.getOriginalMessage(), bad);
      } catch (IllegalArgumentException | IllegalStateException bad) {
        throw notAnEvent(number, bad.getMessage(), bad);
      }
    }
    return ExitCode.OK.status();
  }

  private WorkingSetSettings agents() {
    if (bound == null) {
      return WorkingSetSettings.DEFAULT;
    }
    if (!(bound > 0 && bound < Double.POSITIVE_INFINITY)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--bound is " + bound + ", but must be above 0 seconds");
    }
    return WorkingSetSettings.DEFAULT.withBoundSeconds(bound);
  }

  private static CommandFailure notAnEvent(int line, String why, Exception cause) {
    return new CommandFailure(ExitCode.BAD_INPUT, "line " + line + " is no event: " + why, cause);
  }

  /**
   * The replicas as the simulator tells of them. Learns their speed; what it is told of it, not.
   */
  static final class Simulated {

    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private final RoutingSettings settings;
    private final WorkingSetSettings agentSettings;
    private final EvictionControl control;
    private final Router router;
    private final Map<Integer, Dispatch> calls = new HashMap<>();
    private final Set<Integer> half = new HashSet<>();
    private final List<JsonNode> untold = new ArrayList<>();
    private final List<Orders.Eviction> evictions = new ArrayList<>();
    private final List<Orders.Touch> touches = new ArrayList<>();
    private final Map<Integer, ReuseEviction.Use> uses = new HashMap<>();
    private final ReuseEviction reuse = new ReuseEviction(ReuseSettings.DEFAULT);
    private ClusterState state;
    private WorkingSetScheduler agents;
    private int block;

    Simulated(RoutingSettings settings, WorkingSetSettings agentSettings, EvictionControl control) {
      this.settings = settings;
      this.agentSettings = agentSettings;
      this.control = control;
      this.router = settings.router();
    }

    /** Takes an event; answers it where it wants an answer. */
    Optional<String> answer(String line) throws JsonProcessingException {
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

    /**
     * The simulator tells of first tokens and evictions later than of ends: all in order of time.
     */
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
              reuse.ended(uses.remove(event.path("i").asInt()), ended.replica());
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

    /** The last of a list is the next to be evicted. */
    private static long[] reversed(long[] blocks) {
      long[] reversed = new long[blocks.length];
      for (int i = 0; i < blocks.length; i++) {
        reversed[blocks.length - 1 - i] = blocks[i];
      }
      return reversed;
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
          new WorkingSetScheduler(agentSettings, state, id -> Access.OPEN, id -> control, block);
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
          int call = event.path("i").asInt();
          ReuseEviction.Use use = reuse.arrived(chain, now);
          long[] go =
              reuse.choose(
                  run.replica(),
                  use,
                  state.overflow(run.replica(), ask),
                  state.idle(run.replica()),
                  now);
          if (go.length > 0 && control == EvictionControl.HINTS) {
            evictions.add(new Orders.Eviction(run.replica(), reversed(go)));
          }
          uses.put(call, use);
          calls.put(call, state.dispatched(ask, run, now, true));
          yield answer(OptionalDouble.empty()).put("replica", Integer.parseInt(run.replica()));
        }
        case Decision.Hold hold -> JSON.createObjectNode().put("hold", true);
      };
    }
  }
}
