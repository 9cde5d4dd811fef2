package dev.colony.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.agents.RunFollower;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.settings.TalkSettings;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has an agent do one thing. */
@Command(
    name = "ask",
    mixinStandardHelpOptions = true,
    description = {
      "Asks an agent for one thing, in a run that has TEXT as its goal, and prints the result; or a"
          + " question about a source or a map, as colony run does.",
      "What the run makes known and what it waits for stands on standard error; on a terminal, with"
          + " what models are answering to its calls as they write it. The run goes on when this"
          + " is interrupted.",
    })
final class AskCommand implements Callable<Integer> {

  /** Of standard input: the longest value of an entry, as it is by default. */
  private static final int MOST_BYTES = 16 * 1024 * 1024;

  @Parameters(
      index = "0",
      paramLabel = "AGENT|MAP|SOURCE",
      description =
          "An agent, for example acme/billing/reviewer; or what a question is asked about,"
              + " as by colony run: a directory, as ./src or /home/ann/src, another source, or"
              + " the id of a map.")
  private String target;

  @Parameters(
      index = "1",
      paramLabel = "TEXT",
      description = "What it is to do, or the question; a - reads it from standard input.")
  private String text;

  @Option(
      names = "--namespace",
      paramLabel = "N",
      converter = AgentWords.Name.class,
      description = "Where request and result stand in the agent's scope (default: ask).")
  private Optional<String> namespace;

  @Option(
      names = "--session",
      paramLabel = "S",
      converter = AgentWords.Session.class,
      description = "The session that the run belongs to; it is opened if it is new.")
  private Optional<SessionId> session;

  @Option(
      names = "--timeout",
      paramLabel = "PERIOD",
      converter = BoardWords.Period.class,
      description = "How long to wait for the result (default: for ever). The run goes on.")
  private Optional<Duration> timeout;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    String goal = goal();
    if (isSource(target)) {
      return ofSource(goal);
    }
    AgentId id = agent();
    TalkSettings settings = TalkSettings.fromConfig(reach.config());
    return reach.<ExitCode>with(colony -> ask(colony, id, goal, settings)).status();
  }

  /** Whether it names no agent, but what a question is asked about. */
  private static boolean isSource(String word) {
    return RunSource.isMap(word)
        || word.indexOf(':') >= 0
        || List.of(".", "/", "~").stream().anyMatch(word::startsWith)
        || word.chars().filter(c -> c == '/').count() != 2 && Files.isDirectory(Path.of(word));
  }

  private AgentId agent() {
    try {
      return AgentId.parse(target);
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          bad.getMessage() + "; a directory is given as ./NAME, a map by its id");
    }
  }

  /** As {@code colony run} does. */
  private int ofSource(String question) {
    if (session.isPresent() || timeout.isPresent() || namespace.isPresent() || reach.elsewhere()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%s is no agent: a question about it takes --json, --state and --config only; colony run"
                  .formatted(target)
              + " has more");
    }
    List<String> line =
        new ArrayList<>(
            List.of(target, "--ask", question, "--state", reach.state().root().toString()));
    reach.configFile().ifPresent(file -> line.addAll(List.of("--config", file.toString())));
    if (json.given()) {
      line.add("--json");
    }
    return spec.commandLine()
        .getParent()
        .getSubcommands()
        .get("run")
        .execute(line.toArray(String[]::new));
  }

  private ExitCode ask(Colony colony, AgentId id, String goal, TalkSettings settings) {
    session.ifPresent(
        one -> colony.sessions(id.tenant(), id.colony()).open(one, BoardOptions.WRITER).join());
    RunOptions options =
        RunOptions.namespace(namespace.orElse("ask"))
            .runId(RunNames.next())
            .requestedBy(BoardOptions.WRITER);
    RunOptions inSession = session.map(options::session).orElse(options);
    AgentHandle handle = colony.agent(id);
    ObjectNode input = JsonNodeFactory.instance.objectNode();
    input.putArray("goals").add(goal);
    RunHandle run =
        BoardOptions.refusing(
            () -> handle.run(input, timeout.map(inSession::timeout).orElse(inSession)));
    run.stored().join();
    OnExit onExit = OnExit.run(() -> OnExit.say(reach.goesOn(id, run.runId())));
    try {
      return say(id, new RunFollower(settings, System.err, reach.again()).follow(handle, run));
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException late
          && late.getCause() instanceof TimeoutException) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL,
            "run %s of %s has not ended within %s; %s"
                .formatted(
                    run.runId(),
                    id,
                    timeout.map(Duration::toString).orElse("its time"),
                    reach.goesOn(id, run.runId())),
            late);
      }
      throw failure;
    } finally {
      onExit.close();
    }
  }

  private ExitCode say(AgentId id, AgentRun ended) {
    boolean completed = ended.status() == AgentRun.Status.COMPLETED;
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(ended)));
      return completed ? ExitCode.OK : ExitCode.UNSUCCESSFUL;
    }
    if (!completed) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, failed(id, ended));
    }
    if (ended.output().isNull()) {
      BoardOptions.note("done, without a result");
    } else {
      System.out.println(AgentsText.output(ended));
    }
    return ExitCode.OK;
  }

  /** Why a run has not completed, in one line. */
  static String failed(AgentId id, AgentRun ended) {
    return "run %s of %s %s: %s"
        .formatted(
            ended.runId(),
            id,
            switch (ended.status()) {
              case CANCELLED -> "was cancelled";
              case FAILED, COMPLETED -> "failed";
            },
            ended.error().orElse(""));
  }

  private String goal() {
    String goal = text;
    if (text.equals("-")) {
      try {
        goal = Text.of(System.in, MOST_BYTES);
      } catch (IOException | IllegalArgumentException unfit) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "standard input cannot be read: " + Text.message(unfit), unfit);
      }
    }
    if (goal.isBlank()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "the TEXT is empty: say what the agent is to do");
    }
    return goal.strip();
  }
}
