package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.mcp.ProtocolJson;
import java.time.Duration;

/**
 * Which run a call has asked for, kept on the blackboard for as long as the call may last: a
 * notification that cancels it reaches whichever node a balancer takes. Its methods block.
 */
record CallRecords(Blackboards blackboards, Colony colony, Duration longestWait) {

  private static final String NAMESPACE = "mcp-calls";

  /** The call may be answered a little later than its wait is over. */
  private static final Duration MARGIN = Duration.ofMinutes(1);

  void write(McpCaller caller, String call, AgentId agent, RunId run, String namespace) {
    board(caller)
        .write(
            Write.of(
                    call,
                    ProtocolJson.object()
                        .put("agent", agent.name())
                        .put("run", run.value())
                        .put("namespace", namespace))
                .ttl(longestWait.plus(MARGIN)))
        .toCompletableFuture()
        .join();
  }

  /** Ends the call's run as cancelled; nothing where there is no such call any more. */
  void cancel(McpCaller caller, JsonNode id, String reason) {
    caller
        .call(id)
        .flatMap(call -> board(caller).read(call).toCompletableFuture().join())
        .ifPresent(entry -> {
          JsonNode place = entry.value();
          colony
              .agent(caller.agent(place.path("agent").asText()))
              .cancel(
                  new RunId(place.path("run").asText()),
                  RunOptions.namespace(place.path("namespace").asText())
                      .requestedBy(caller.principal().name()),
                  reason)
              .join();
        });
  }

  private Blackboard board(McpCaller caller) {
    return blackboards.open(caller.scope().namespace(NAMESPACE), caller.principal().name());
  }
}
