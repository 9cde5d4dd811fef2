package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.inference.provider.FoundServer;
import dev.colony.inference.provider.FoundServer.Model;
import dev.colony.inference.provider.ModelProbe;
import dev.colony.node.Started;
import dev.colony.server.Descriptors;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.node.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "doctor",
    description = "Tries what a cluster needs of this machine and says what is missing.")
final class DoctorCommand implements Callable<Integer> {

  private static final int LEAST_JAVA = 21;
  private static final int FAST_START_JAVA = 25;
  private static final long LEAST_HEAP_MIB = 512;
  private static final long LEAST_DISK_MIB = 1024;

  @Mixin private ClusterOptions clusterOptions;
  @Mixin private StateOption stateOption;

  private boolean healthy = true;
  private final List<String> notes = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  /** What was found; throws where it is not good enough. */
  @FunctionalInterface
  private interface Check {
    String findings() throws Exception;
  }

  @Override
  public Integer call() {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "doctor");
    check("java", DoctorCommand::java);
    check("memory", DoctorCommand::memory);
    check("loopback", () -> "port " + LoopbackPorts.free(1).getFirst() + " can be bound");
    check("files", this::files);
    check("state", () -> state(state));
    check("redis", this::redis);
    check("model", this::model);
    check("cluster", () -> cluster(state));
    return (healthy ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private void check(String name, Check check) {
    try {
      System.out.printf("ok    %-9s %s%n", name, check.findings());
      notes.forEach(note -> System.out.printf("ok    %-9s %s%n", name, note));
      warnings.forEach(warning -> System.out.printf("warn  %-9s %s%n", name, warning));
      failures.forEach(failure -> System.out.printf("FAIL  %-9s %s%n", name, failure));
      healthy &= failures.isEmpty();
      notes.clear();
      failures.clear();
      warnings.clear();
    } catch (Exception failure) {
      if (OnExit.begun()) {
        return;
      }
      healthy = false;
      System.out.printf("FAIL  %-9s %s%n", name, failure.getMessage());
    }
  }

  private static String java() {
    int version = Runtime.version().feature();
    require(version >= LEAST_JAVA, "Java " + version + ": install a JDK 21 or newer");
    return "Java %s at %s%s"
        .formatted(
            Runtime.version(),
            System.getProperty("java.home"),
            version < FAST_START_JAVA ? " (25 or newer starts faster)" : "");
  }

  private static String memory() {
    long heap = Runtime.getRuntime().maxMemory() >> 20;
    require(heap >= LEAST_HEAP_MIB, heap + " MiB of heap: a node needs 512 MiB");
    return "%d MiB of heap a node, %d processors"
        .formatted(heap, Runtime.getRuntime().availableProcessors());
  }

  private String files() {
    Descriptors files = Descriptors.ofThisProcess();
    int wanted = HttpSettings.fromConfig(CommandConfig.base(clusterOptions.config())).connections();
    files.lowered(wanted).ifPresent(warnings::add);
    return files.most() + " may be open in one process";
  }

  private static String state(StateDirectory state) throws IOException {
    Files.delete(Files.createTempFile(state.root(), "doctor", ""));
    long free = Files.getFileStore(state.root()).getUsableSpace() >> 20;
    require(free >= LEAST_DISK_MIB, state.root() + " has " + free + " MiB free: make room");
    return state.root() + ", " + free + " MiB free";
  }

  private String redis() throws IOException {
    String named = System.getenv("COLONY_REDIS_URL");
    if (named != null && !named.isBlank()) {
      RedisSettings settings =
          RedisSettings.fromConfig(CommandConfig.base(clusterOptions.config()));
      try (RedisConnections redis = new RedisConnections(named.strip(), settings)) {
        warnings.addAll(redis.warnings());
        return "COLONY_REDIS_URL names " + redis.address() + ", which answers";
      }
    }
    Path directory = Files.createTempDirectory("colony-doctor");
    Started begun = new Started();
    begun.add(() -> StateFolder.deleteTree(directory));
    OnExit interrupted = OnExit.run(() -> ended(begun));
    try {
      RedisServerProcess server = begun.unlessClosed(() -> started(directory, begun));
      server.stop();
      server
          .holes()
          .map(holes -> holes + "; one of version 7 or newer on the PATH is taken")
          .ifPresent(warnings::add);
      return "a server of our own starts, version " + server.version();
    } finally {
      begun.close();
      interrupted.close();
    }
  }

  private static void ended(Started begun) {
    begun.close();
    OnExit.say("interrupted; the server that was tried is stopped");
  }

  private RedisServerProcess started(Path directory, Started owner) {
    RedisServerProcess server =
        RedisServerProcess.ensure(
            ServerSettings.fromConfig(CommandConfig.base(clusterOptions.config()), directory));
    owner.add(server::stop);
    return server;
  }

  private String model() {
    Config config = CommandConfig.base(clusterOptions.config());
    return clusterOptions
        .modelUrl()
        .map(url -> {
          ModelProbe.Examined found = ModelCheck.examine(url, config);
          ModelCheck.kind(url, config).ifPresent(server -> kind(server, found.model()));
          for (ModelProbe.Finding one : found.findings()) {
            // A question cannot be answered without it.
            boolean needed = one.call().equals("json");
            (one.works() ? notes : needed ? failures : warnings)
                .add(one.call() + " " + one.words());
          }
          return "%s answers: %s%s, asked as %s"
              .formatted(
                  url,
                  found.model(),
                  found.contextTokens().isPresent()
                      ? " with a context of " + found.contextTokens().getAsLong() + " tokens"
                      : "",
                  found.dialect().describe());
        })
        .orElseGet(() -> {
          FoundServer.best(ModelCheck.search(config))
              .ifPresent(one ->
                  notes.add(
                      "%s at %s has %s, which run and up take at a terminal: see colony models"
                          .formatted(one.kind(), one.place(), one.chosen().orElseThrow().name())));
          return "the embedded replica: lexical, no neural network; name a server by --model-url";
        });
  }

  /** What a server says of itself, beside what its calls show. */
  private void kind(FoundServer server, String asked) {
    Optional<Model> model =
        server.models().stream().filter(one -> one.id().equals(asked)).findFirst();
    notes.add(
        "kind %s, %d models%s"
            .formatted(
                server.kind(),
                server.models().size(),
                model.filter(Model::loaded).isPresent() ? ", this one is loaded" : ""));
    OptionalLong most = model.map(Model::mostTokens).orElse(OptionalLong.empty());
    if (most.isPresent() && model.get().contextTokens().isEmpty()) {
      warnings.add(
          "context is chosen as the server loads the model, at most %d tokens; a longer prompt may be cut in silence"
              .formatted(most.getAsLong()));
    }
    if (model.flatMap(Model::tools).filter(shown -> !shown).isPresent()) {
      warnings.add("tools are not shown by its template: they are written into the prompt");
    }
  }

  private static String cluster(StateDirectory state) {
    Optional<UpRecord> up = UpRecord.find(state);
    return up.map(record -> record.living(state).size() + " nodes are up").orElse("none is up");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }
}
