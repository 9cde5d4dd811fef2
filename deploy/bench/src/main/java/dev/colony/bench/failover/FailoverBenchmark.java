package dev.colony.bench.failover;

import com.typesafe.config.Config;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.local.BlackboardClient;
import dev.colony.cli.local.LoopbackNodes;
import dev.colony.cli.local.RestartableNodes;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.entity.AgentSettings;
import dev.colony.server.Started;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Three nodes in JVMs of their own, on a Redis server of the benchmark's own. In each round the
 * node with the most agents is ended, so that it is often the oldest one, which coordinates the
 * others; it is started again for the next round.
 */
public final class FailoverBenchmark {

  private static final int NODES = 3;

  private final Path directory;
  private final Optional<Path> configFile;
  private final Progress progress;

  /**
   * @param directory holds data and logs, not used before; left for the caller to delete
   * @param configFile overrides the defaults, also those of the nodes
   */
  public FailoverBenchmark(Path directory, Optional<Path> configFile, Progress progress) {
    this.directory = directory;
    this.configFile = configFile;
    this.progress = progress;
  }

  /**
   * Blocks until everything is measured.
   *
   * @throws dev.colony.cli.exit.CommandFailure if a node does not start or an agent does not answer
   */
  public FailoverReport run(FailoverLoad load) {
    Config config = CommandConfig.base(configFile);
    StateDirectory state = StateDirectory.open(directory);
    Started started = new Started();
    // A command that is interrupted ends its nodes and its server too.
    Thread interrupted = new Thread(started::close, "interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try (started) {
      RedisServerProcess redis =
          RedisServerProcess.ensure(ServerSettings.fromConfig(config, state.redis()));
      started.add(redis::stop);
      RestartableNodes nodes =
          started.add(
              RestartableNodes.start(
                  state, LoopbackNodes.withoutApi(redis.uri(), configFile).options(NODES)));
      BlackboardClient client =
          started.add(BlackboardClient.connect(redis.uri(), config, progress::note));
      Population population =
          Population.spawn(
              new BlackboardColony(
                  client.blackboards(),
                  HomeResolver.byHash(AgentSettings.fromConfig(config).placementUnits()),
                  ClientSettings.fromConfig(config)),
              load.agents());
      List<Absence> killed =
          rounds("killed", load.rounds(), nodes, population, RestartableNodes::kill);
      List<Absence> terminated =
          rounds("told to leave", load.rounds(), nodes, population, RestartableNodes::terminate);
      RollingRestart rolling = RollingRestart.run(nodes, population, load.perSecond());
      return new FailoverReport(load, killed, terminated, rolling);
    } finally {
      forget(interrupted);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // it runs already and does its work
    }
  }

  private List<Absence> rounds(
      String how,
      int rounds,
      RestartableNodes nodes,
      Population population,
      BiConsumer<RestartableNodes, String> end) {
    List<Absence> absences = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      Map<Long, List<AgentHandle>> places = population.byProcess();
      String victim =
          nodes.names().stream()
              .max(Comparator.comparingInt(node -> living(places, nodes, node).size()))
              .orElseThrow();
      Absence absence =
          Absence.measure(victim, living(places, nodes, victim), () -> end.accept(nodes, victim));
      absences.add(absence);
      progress.note(
          String.format(
              Locale.ROOT,
              "%s was %s: its %d agents were back after %.1f s",
              victim,
              how,
              absence.agents(),
              absence.lastMillis() / 1e3));
      nodes.process(victim).onExit().join();
      nodes.restart(victim);
      nodes.awaitReady(victim);
    }
    return absences;
  }

  private static List<AgentHandle> living(
      Map<Long, List<AgentHandle>> places, RestartableNodes nodes, String node) {
    return places.getOrDefault(nodes.process(node).pid(), List.of());
  }
}
