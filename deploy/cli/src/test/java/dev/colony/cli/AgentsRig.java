package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.server.fixture.StoredAgents;
import java.util.ArrayList;
import java.util.List;

/** A Redis server that holds agents as a cluster leaves them, and the agents commands on it. */
final class AgentsRig implements AutoCloseable {

  private final BoardRig redis = new BoardRig();
  private final StoredAgents agents = new StoredAgents(redis.redis().uri());

  String redisUri() {
    return agents.redisUri();
  }

  Blackboards blackboards() {
    return agents.blackboards();
  }

  void spawn(AgentId agent, AgentBlueprint blueprint) {
    agents.spawn(agent, blueprint);
  }

  void spawn(AgentId parent, String name, AgentBlueprint blueprint) {
    agents.spawn(parent, name, blueprint);
  }

  void journal(AgentId agent, AgentEvent... events) {
    agents.journal(agent, events);
  }

  void born(AgentId agent, AgentBlueprint blueprint) {
    agents.born(agent, blueprint);
  }

  /** {@code colony agents}, in this JVM. */
  Finished agents(String... arguments) {
    List<String> line = new ArrayList<>(List.of("agents"));
    line.addAll(List.of(arguments));
    return colony(line.toArray(String[]::new));
  }

  /** {@code colony}, in this JVM. */
  Finished colony(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--redis-url", redis.redis().uri(), "--state", redis.state().toString()));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  /** {@code colony}, which does it. */
  Finished ok(String... arguments) {
    return ended(ExitCode.OK, arguments);
  }

  /** {@code colony}, which does not do it; what it says of that. */
  String refused(String... arguments) {
    return ended(ExitCode.UNSUCCESSFUL, arguments).err();
  }

  /** {@code colony}, which cannot use what it is given; what it says of that. */
  String bad(String... arguments) {
    return ended(ExitCode.BAD_INPUT, arguments).err();
  }

  private Finished ended(ExitCode status, String... arguments) {
    Finished run = colony(arguments);
    assertThat(run.status()).as(run.err()).isEqualTo(status.status());
    return run;
  }

  @Override
  public void close() {
    agents.close();
    redis.close();
  }
}
