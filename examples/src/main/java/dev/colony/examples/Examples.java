package dev.colony.examples;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.client.Session;
import dev.colony.cli.CommandLog;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.ColonyClient;
import dev.colony.examples.chat.Chat;
import dev.colony.examples.coordinator.Counting;
import dev.colony.examples.debate.Debate;
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
      defaultValue = ".colony-examples",
      scope = CommandLine.ScopeType.INHERIT)
  private Path state;

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description = "An OpenAI-compatible server; by default the embedded replica answers.",
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
      name = "debate",
      mixinStandardHelpOptions = true,
      description = "Two workers debate a question and a judge rules.")
  int debate(
      @Parameters(paramLabel = "QUESTION", description = "In plain words.") String question,
      @Option(
              names = "--rounds",
              defaultValue = "2",
              description = "In each of which both speak (default: ${DEFAULT-VALUE}).")
          int rounds)
      throws Exception {
    sayWhoAnswers();
    return on(cluster -> {
      Debate debate = new Debate(cluster.blackboards(), cluster.colony(), name("debate"));
      Session session = debate.run(question, rounds, System.out::println);
      System.out.printf(
          "session %s: %d runs, %d model calls, %d prompt tokens%n",
          session.sessionId(),
          session.totals().runs(),
          session.totals().stats().modelCalls(),
          session.totals().stats().usage().promptTokens());
      return ExitCode.OK;
    });
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
          "colony: the embedded replica answers: it goes by words, being no neural network;"
              + " --model-url names a real one");
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
    try (Cluster cluster =
        launcher.startForCommand(1, Optional.ofNullable(modelUrl), "colony example")) {
      return use.with(cluster).status();
    }
  }

  private static String name(String what) {
    return what + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private static AgentId agent(String what) {
    return new AgentId("local", "examples", name(what));
  }
}
