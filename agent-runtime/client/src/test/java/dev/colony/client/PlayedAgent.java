package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;

/** Writes what an agent's node writes to the blackboard for a run, when the test calls it. */
final class PlayedAgent {

  static final String NAMESPACE = "work";

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboard board;
  private final String agent;

  PlayedAgent(AgentId id, Blackboards blackboards) {
    this(id, blackboards, NAMESPACE);
  }

  PlayedAgent(AgentId id, Blackboards blackboards, String namespace) {
    agent = id.name();
    board = blackboards.open(id.scope().namespace(namespace), id.persistenceId());
  }

  void emit(RunId run, String name, int value) {
    write(Write.of(PROTOCOL.eventKey(run.value(), name), IntNode.valueOf(value)));
  }

  void complete(RunId run, JsonNode output) {
    AgentRun ended = AgentRun.completed(run, output, RunStats.NONE);
    write(Write.of(PROTOCOL.resultKey(run.value()), ended.toJson()).ifAbsent());
  }

  /** Nothing that happened in the namespace is there any more. */
  void forgets() {
    board.clear().toCompletableFuture().join();
  }

  boolean wasAsked(RunId run) {
    String request = PROTOCOL.requestKey(agent, run.value());
    return board.read(request).toCompletableFuture().join().isPresent();
  }

  /** Something else happens in the namespace. */
  void stir(int times) {
    for (int i = 0; i < times; i++) {
      write(Write.of("other", JsonNodeFactory.instance.numberNode(i)));
    }
  }

  private void write(Write write) {
    board.write(write).toCompletableFuture().join();
  }
}
