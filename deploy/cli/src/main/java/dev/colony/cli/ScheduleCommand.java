package dev.colony.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets a simulator drive the router of model calls, one JSON object a line. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    description = {
      "Routes the prompts of a simulator as the gateway routes model calls: reads events from",
      "standard input, one JSON object a line, and answers each prompt with a replica.",
    })
final class ScheduleCommand implements Callable<Integer> {

  @Option(names = "--stdio", required = true, description = "Talks over standard input and output.")
  private boolean stdio;

  @Override
  public Integer call() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    Simulated simulated = new Simulated(RoutingSettings.fromConfig(ConfigFactory.load()));
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

  private static CommandFailure notAnEvent(int line, String why, Exception cause) {
    return new CommandFailure(ExitCode.BAD_INPUT, "line " + line + " is no event: " + why, cause);
  }

  /**
   * The replicas as the simulator tells of them. Learns their speed; what it is told of it, not.
   */
  static final class Simulated {

    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private final RoutingSettings settings;
    private final Router router;
    private final Map<Integer, Dispatch> calls = new HashMap<>();
    private final Set<Integer> half = new HashSet<>();
    private final List<JsonNode> untold = new ArrayList<>();
    private ClusterState state;
    private int block;

    Simulated(RoutingSettings settings) {
      this.settings = settings;
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
          // Nothing is ever held back.
          ObjectNode none = JSON.createObjectNode();
          none.putArray("dispatch");
          yield Optional.of(none.toString());
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
            state.firstToken(begun, at);
            state.cached(begun, event.path("hit").asInt());
            state.stored(begun.replica(), begun.ask().blocks());
            told(event);
          }
          case "finish" -> {
            state.ended(call(event), at, true);
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
      }
    }

    private ObjectNode arrive(JsonNode event) {
      double now = event.path("t").asDouble();
      long[] chain =
          StreamSupport.stream(event.path("hash_ids").spliterator(), false)
              .mapToLong(JsonNode::asLong)
              .toArray();
      Ask ask = Ask.even(chain, block, event.path("input_length").asLong());
      return switch (router.route(state.snapshot(now, id -> Access.OPEN), ask)) {
        case Decision.Run run -> {
          calls.put(event.path("i").asInt(), state.dispatched(ask, run, now, true));
          yield JSON.createObjectNode().put("replica", Integer.parseInt(run.replica()));
        }
        case Decision.Hold hold -> JSON.createObjectNode().put("hold", true);
      };
    }
  }
}
