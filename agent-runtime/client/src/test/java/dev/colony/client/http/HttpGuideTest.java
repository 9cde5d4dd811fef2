package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.client.Follower;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The example of docs/guides/handles.md that needs an API. */
public class HttpGuideTest {

  private static final AgentRun END =
      AgentRun.completed(new RunId("r1"), IntNode.valueOf(3), RunStats.NONE);

  @Test
  void aRunIsAskedForFollowedAndAwaited() throws Exception {
    RunProgress event =
        new RunProgress(
            END.runId(), "completed", END.toJson(), Instant.EPOCH, "token", Optional.of(END));
    try (ScriptedApi api = new ScriptedApi()) {
      ScriptedApi.Reaction stream =
          ScriptedApi.stream("event: end\ndata: " + WireJson.write(RunEvent.of(event)) + "\n\n");
      ScriptedApi.Reaction state =
          ScriptedApi.answer(
              200,
              WireJson.write(new RunState(END.runId(), Optional.of(END))).toString(),
              Map.of());
      ScriptedApi.Reaction either =
          exchange ->
              (exchange.getRequestURI().getPath().endsWith("/events") ? stream : state)
                  .to(exchange);
      api.then(202, "{}").then(either).then(either);
      Follower follower = Follower.all();
      assertThat(
              ask(
                  api.uri(),
                  "key",
                  new AgentId("acme", "guide", "reviewer"),
                  TextNode.valueOf("check"),
                  follower))
          .isEqualTo(END);
      assertThat(follower.ended().names()).containsExactly("completed");
    }
  }

  private static AgentRun ask(
      URI api,
      String key,
      AgentId reviewer,
      JsonNode input,
      Flow.Subscriber<RunProgress> subscriber) {
    // guide: over-http
    Colony colony = HttpColony.at(api, key);
    AgentHandle agent = colony.agent(reviewer);
    RunHandle run = agent.run(input, RunOptions.namespace("compliance").idempotencyKey("order-42"));
    run.events().subscribe(subscriber);
    return run.join();
    // guide end
  }
}
