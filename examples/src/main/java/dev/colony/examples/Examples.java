package dev.colony.examples;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.CommandLog;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Progress;
import dev.colony.client.ColonyClient;
import dev.colony.examples.coordinator.Counting;
import dev.colony.examples.impact.Impact;
import dev.colony.examples.impact.ImpactAnalysis;
import dev.colony.examples.review.Review;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the examples from the command line: {@code ./colony example}. */
@Command(
    name = "colony example",
    mixinStandardHelpOptions = true,
    description = "Runs an example, on a cluster of one node that is started for it.")
public final class Examples {

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "Where the cluster keeps its state (default: ${DEFAULT-VALUE}).",
      scope = CommandLine.ScopeType.INHERIT)
  private Path state = StateFolder.usual().resolve("examples");

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description =
          "An OpenAI-compatible server, which chat and review need; by default the embedded"
              + " replica.",
      scope = CommandLine.ScopeType.INHERIT)
  private URI modelUrl;

  /** Ends the process with the command's status. */
  public static void main(String[] args) {
    System.exit(execute(args));
  }

  static int execute(String... args) {
    return new CommandLine(new Examples())
        .setExecutionExceptionHandler((failure, line, parsed) -> {
          if (OnExit.begun()) {
            return ExitCode.INTERRUPTED.status();
          }
          CommandFailure known = CommandFailure.of(failure).orElseThrow(() -> failure);
          System.err.println("colony: " + known.getMessage());
          return known.exitCode().status();
        })
        .execute(args);
  }

  @Command(
      name = "chat",
      mixinStandardHelpOptions = true,
      description = "Answers each line of the standard input, until its end.")
  int chat() throws Exception {
    sayWhoAnswers();
    return on(cluster -> {
      try (Chat chat = new Chat(cluster.blackboards(), cluster.colony(), agent("chat"))) {
        return talk(chat);
      }
    });
  }

  @Command(
      name = "count",
      mixinStandardHelpOptions = true,
      description = "Counts the words of texts, with a worker for each.")
  int count(@Parameters(paramLabel = "TEXT", arity = "1..*") List<String> texts) throws Exception {
    return on(cluster -> {
      AgentRun run = Counting.count(cluster.colony(), agent("coordinator"), texts);
      if (run.error().isPresent()) {
        System.err.println("colony: " + run.error().get());
        return ExitCode.UNSUCCESSFUL;
      }
      for (JsonNode section : run.output().path("sections")) {
        System.out.println(section.asText());
        System.out.println();
      }
      System.out.println(run.output().path("words"));
      return ExitCode.OK;
    });
  }

  @Command(
      name = "impact",
      mixinStandardHelpOptions = true,
      description = "Says what a change to a source tree would break.")
  int impact(
      @Parameters(paramLabel = "PATH", description = "The directory of the tree.") Path path,
      @Parameters(
              paramLabel = "QUESTION",
              description = "As in: what would break if Tree.merge gave a long?")
          String question,
      @Option(
              names = "--symbol",
              paramLabel = "NAME",
              description = "What changes, repeatable; by default what the question names.")
          List<String> symbols,
      @Option(names = "--json", description = "Prints the report as JSON.") boolean json)
      throws Exception {
    if (!Files.isDirectory(path)) {
      System.err.println("colony: " + path + ": no such directory");
      return ExitCode.BAD_INPUT.status();
    }
    if (modelUrl == null) {
      System.err.println("colony: no model is asked; --model-url names one");
    }
    return on(cluster -> {
      try (Progress progress = Progress.onStandardError()) {
        // The embedded replica quotes what it finds; it judges nothing.
        JsonNode impact =
            new ImpactAnalysis(path, cluster, progress)
                .of(
                    agent("impact"),
                    question,
                    symbols == null ? List.of() : symbols,
                    modelUrl != null);
        if (json) {
          System.out.println(impact);
        } else {
          Impact.read(impact).lines().forEach(System.out::println);
        }
        return ExitCode.OK;
      }
    });
  }

  @Command(
      name = "review",
      mixinStandardHelpOptions = true,
      description = {
        "A supervisor plans the review of a source tree, and asks before it publishes its report.",
        "y or n on standard input answers, or colony approve in another terminal."
      })
  int review(@Parameters(paramLabel = "PATH", description = "The directory to review.") Path path)
      throws Exception {
    if (!Files.isDirectory(path)) {
      System.err.println("colony: " + path + ": no such directory");
      return ExitCode.BAD_INPUT.status();
    }
    sayWhoAnswers();
    return on(cluster -> {
      try (ColonyClient client = ColonyClient.connect(cluster.redisUri())) {
        Review review = new Review(client.colony(), agent("review"), path, " --state " + state);
        AgentRun run = review.run(typed(), System.out::println);
        review.plan().forEach(System.out::println);
        if (run.error().isPresent()) {
          System.err.println("colony: " + run.error().get());
          return ExitCode.UNSUCCESSFUL;
        }
        System.out.println(run.output());
        return ExitCode.OK;
      }
    });
  }

  /** Lines of standard input as they come; none after its end. */
  private static BlockingQueue<String> typed() {
    BlockingQueue<String> typed = new LinkedBlockingQueue<>();
    Thread.ofPlatform()
        .daemon()
        .name("typed")
        .start(() ->
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                .lines()
                .filter(line -> !line.isBlank())
                .forEach(typed::add));
    return typed;
  }

  private void sayWhoAnswers() {
    if (modelUrl == null) {
      System.err.println(
          "colony: the embedded replica answers: it quotes pages and plans nothing;"
              + " --model-url names a model");
    }
  }

  private static ExitCode talk(Chat chat) throws IOException, InterruptedException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.isBlank()) {
        System.out.println(chat.say(line.strip()));
      }
    }
    return ExitCode.OK;
  }

  /** What is done with a cluster. */
  private interface Use {
    ExitCode with(Cluster cluster) throws Exception;
  }

  private int on(Use use) throws Exception {
    StateDirectory directory = StateDirectory.open(state);
    CommandLog.into(directory, "example");
    ClusterLauncher launcher =
        new ClusterLauncher(
            directory, Optional.empty(), notice -> System.err.println("colony: " + notice));
    OnExit interrupted =
        OnExit.run(() -> OnExit.say("interrupted; the cluster of the example is stopped"));
    try (Cluster cluster =
        launcher.startForCommand(1, Optional.ofNullable(modelUrl), "colony example")) {
      return use.with(cluster).status();
    } finally {
      interrupted.close();
    }
  }

  private static String name(String what) {
    return what + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private static AgentId agent(String what) {
    return new AgentId("local", "examples", name(what));
  }
}
