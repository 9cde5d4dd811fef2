package dev.colony.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.colony.cli.terminal.Progress;
import dev.colony.client.ColonyClient;
import dev.colony.examples.chat.Chat;
import dev.colony.examples.coordinator.Counting;
import dev.colony.examples.debate.Debate;
import dev.colony.examples.impact.Impact;
import dev.colony.examples.mapped.BlueprintFiles;
import dev.colony.examples.mapped.MappedRun;
import dev.colony.examples.mapped.MappedSource;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.examples.review.ChangeReport;
import dev.colony.examples.review.ChangeReview;
import dev.colony.examples.review.Review;
import dev.colony.examples.review.Rules;
import dev.colony.examples.tour.Tour;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.source.git.GitDiff;
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

  /** Lines around each change that a reviewer sees. */
  private static final int CONTEXT = 6;

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "Where the cluster keeps its state (default: ${DEFAULT-VALUE}).",
      scope = CommandLine.ScopeType.INHERIT)
  private Path state = StateDirectory.usual().resolve("examples");

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
    return onTree(
        path,
        (cluster, map) -> {
          ObjectNode input = input(map).put("question", question);
          (symbols == null ? List.<String>of() : symbols).forEach(input.putArray("symbols")::add);
          JsonNode output =
              new MappedRun(cluster.colony(), agent("impact"), "impact.json").of(input);
          print(output, json, PiecewisePolicy.read(output, Impact.class).lines());
          return ExitCode.OK;
        });
  }

  /** The embedded replica quotes what it finds; it judges nothing. */
  private ObjectNode input(PageMap map) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("map", map.id())
        .put("judged", modelUrl != null);
  }

  private static void print(JsonNode output, boolean json, List<String> lines) {
    if (json) {
      System.out.println(output);
    } else {
      lines.forEach(System.out::println);
    }
  }

  /** What is done with a tree that is mapped. */
  private interface TreeUse {
    ExitCode with(Cluster cluster, PageMap map) throws Exception;
  }

  private int onTree(Path path, TreeUse use) throws Exception {
    if (!Files.isDirectory(path)) {
      System.err.println("colony: " + path + ": no such directory");
      return ExitCode.BAD_INPUT.status();
    }
    if (modelUrl == null) {
      System.err.println("colony: no model is asked; --model-url names one");
    }
    return on(cluster -> {
      try (Progress progress = Progress.onStandardError()) {
        return use.with(cluster, MappedSource.of(path, cluster, progress));
      }
    });
  }

  @Command(
      name = "review",
      mixinStandardHelpOptions = true,
      description = {
        "A supervisor plans the review of a source tree, and asks before it publishes its report.",
        "y or n on standard input answers, or colony approve in another terminal.",
        "With --diff, an agent reviews a change of the tree in place of all of it."
      })
  int review(
      @Parameters(paramLabel = "PATH", description = "The directory to review.") Path path,
      @Option(
              names = "--diff",
              paramLabel = "REVISIONS",
              description = {
                "A..B or A...B as for git diff, which has to end in what the directory holds;",
                "or A, for what the directory has that A has not."
              })
          String diff,
      @Option(
              names = "--rules",
              paramLabel = "FILE",
              description = "A list of rules that the change is held against; by default ten.")
          Path rules,
      @Option(names = "--json", description = "Prints the report of a change as JSON.")
          boolean json)
      throws Exception {
    if (diff != null) {
      return reviewChange(path, diff, rules, json);
    }
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

  private int reviewChange(Path path, String diff, Path rules, boolean json) throws Exception {
    List<String> items;
    GitDiff.Result.Changed changed;
    try {
      items =
          Rules.items(
              rules == null ? BlueprintFiles.text("/review-rules.md") : Files.readString(rules));
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(ExitCode.BAD_INPUT, wrong.getMessage());
    } catch (IOException unreadable) {
      throw new CommandFailure(ExitCode.BAD_INPUT, rules + ": cannot be read");
    }
    switch (GitDiff.of(path, diff, CONTEXT)) {
      case GitDiff.Result.Refused refused ->
          throw new CommandFailure(ExitCode.BAD_INPUT, refused.reason());
      case GitDiff.Result.Changed found -> changed = found;
    }
    return onTree(
        path,
        (cluster, map) -> {
          ChangeReport report =
              new ChangeReview(
                      new MappedRun(cluster.colony(), agent("review"), "change-review.json"))
                  .of(diff, map.id(), modelUrl != null, items, changed.files());
          print(JsonMapper.builder().build().valueToTree(report), json, report.lines());
          return ExitCode.OK;
        });
  }

  @Command(
      name = "tour",
      mixinStandardHelpOptions = true,
      description = "Guides through a source tree: its parts, the most central first.")
  int tour(
      @Parameters(paramLabel = "PATH", description = "The directory of the tree.") Path path,
      @Option(
              names = "--stops",
              paramLabel = "N",
              defaultValue = "8",
              description = "How many, 1 to 100 (default: ${DEFAULT-VALUE}).")
          int stops,
      @Option(names = "--json", description = "Prints the tour as JSON.") boolean json)
      throws Exception {
    if (stops < 1 || stops > 100) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--stops is " + stops + ", must be 1 to 100");
    }
    return onTree(
        path,
        (cluster, map) -> {
          JsonNode output =
              new MappedRun(cluster.colony(), agent("tour"), "tour.json")
                  .of(input(map).put("stops", stops));
          print(output, json, PiecewisePolicy.read(output, Tour.class).asLines());
          return ExitCode.OK;
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
