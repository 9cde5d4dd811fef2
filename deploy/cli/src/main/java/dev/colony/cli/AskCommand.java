package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.RunFollower;
import dev.colony.cli.terminal.TypedLines;
import dev.colony.client.wire.WireJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "ask",
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
      converter = Words.Name.class,
      description = "Where request and result stand in the agent's scope (default: ask).")
  private Optional<String> namespace;

  @Option(
      names = "--session",
      paramLabel = "S",
      description = "The session that the run belongs to; it is opened if it is new.")
  private Optional<SessionId> session;

  @Option(
      names = "--timeout",
      paramLabel = "PERIOD",
      description = "How long to wait for the result (default: for ever). The run goes on.")
  private Optional<Duration> timeout;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    String goal = goal();
    if (isSource(target)) {
      return ofSource(goal);
    }
    AgentId id = agent();
    return reach.<ExitCode>with(colony -> ask(colony, id, goal)).status();
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
      throw CommandFailure.badInput(
          bad.getMessage() + "; a directory is given as ./NAME, a map by its id");
    }
  }

  /** As {@code colony run} does. */
  private int ofSource(String question) {
    if (session.isPresent() || timeout.isPresent() || namespace.isPresent() || reach.elsewhere()) {
      throw CommandFailure.badInput(
          "%s is no agent: a question about it takes --json, --state and --config only; colony run"
                  .formatted(target)
              + " has more");
    }
    List<String> line =
        new ArrayList<>(
            List.of("run", target, "--ask", question, "--state", reach.state().root().toString()));
    reach.configFile().ifPresent(file -> line.addAll(List.of("--config", file.toString())));
    if (json.given()) {
      line.add("--json");
    }
    return ColonyCommand.execute(line.toArray(String[]::new));
  }

  private ExitCode ask(Colony colony, AgentId id, String goal) {
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
      return say(
          id,
          new RunFollower(RunFollower.Pauses.USUAL, System.err, reach.again()).follow(handle, run));
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException late
          && late.getCause() instanceof TimeoutException) {
        throw CommandFailure.unsuccessful(
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
      throw CommandFailure.unsuccessful(failed(id, ended));
    }
    if (ended.output().isNull()) {
      BoardOptions.note("done, without a result");
    } else {
      System.out.println(AgentsText.output(ended));
    }
    ended.partial().ifPresent(why -> BoardOptions.note("this is a part: " + why));
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
        throw CommandFailure.badInput(
            "standard input cannot be read: " + Text.message(unfit), unfit);
      }
    }
    if (goal.isBlank()) {
      throw CommandFailure.badInput("the TEXT is empty: say what the agent is to do");
    }
    return goal.strip();
  }

  @Command(
      name = "chat",
      description = {
        "Talks with an agent: each line is a run, all of them in one session, and the newest"
            + " "
            + ChatCommand.EXCHANGES
            + " exchanges go along with each.",
        "/quit, or the end of the input, ends it. A run survives the nodes and this command.",
      })
  static final class ChatCommand implements Callable<Integer> {

    private static final String NAMESPACE = "chat";
    private static final String QUIT = "/quit";

    /** Lines that were typed at a terminal, for the arrow keys. */
    private static final int EXCHANGES = 20;

    private static final int KEPT_LINES = 500;

    @Mixin private AgentParameter agent;

    @Option(
        names = "--session",
        paramLabel = "S",
        description = "The session of the runs; it is opened if it is new (default: a new one).")
    private Optional<SessionId> session;

    @Mixin private ColonyOptions reach;

    /** The run that is waited for. */
    private volatile Optional<RunId> open = Optional.empty();

    private record Exchange(String user, AgentRun run) {}

    @Override
    public Integer call() {
      return reach.<ExitCode>with(this::talk).status();
    }

    private ExitCode talk(Colony colony) {
      AgentId id = agent.id;
      if (colony.agent(id).state().join().isEmpty()) {
        throw CommandFailure.unsuccessful("there is no agent " + id);
      }
      SessionId of = session.orElseGet(() -> new SessionId("chat-" + RunNames.next()));
      Deque<Exchange> said = new ArrayDeque<>();
      ExitCode worst = ExitCode.OK;
      OnExit onExit = OnExit.run(() -> OnExit.say(interrupted(of)));
      try (TypedLines lines =
          TypedLines.standardInput(reach.state().root().resolve("chat-history"), KEPT_LINES)) {
        colony.sessions(id.tenant(), id.colony()).open(of, BoardOptions.WRITER).join();
        for (Optional<String> line = lines.next();
            line.isPresent() && !line.get().strip().equals(QUIT);
            line = lines.next()) {
          if (line.get().isBlank()) {
            continue;
          }
          Optional<AgentRun> answered = answer(colony, of, line.get().strip(), said);
          if (answered.filter(run -> run.status() == AgentRun.Status.COMPLETED).isEmpty()) {
            worst = ExitCode.UNSUCCESSFUL;
          }
        }
      } finally {
        onExit.close();
      }
      return worst;
    }

    /** Empty where nothing came back; that has been said, and the conversation goes on. */
    private Optional<AgentRun> answer(
        Colony colony, SessionId of, String line, Deque<Exchange> said) {
      AgentId id = agent.id;
      RunOptions options =
          RunOptions.namespace(NAMESPACE)
              .runId(RunNames.next())
              .session(of)
              .requestedBy(BoardOptions.WRITER);
      AgentHandle handle = colony.agent(id);
      try {
        RunHandle run = BoardOptions.refusing(() -> handle.run(input(line, said), options));
        run.stored().join();
        open = Optional.of(run.runId());
        try {
          AgentRun ended =
              new RunFollower(RunFollower.Pauses.USUAL, System.err, reach.again())
                  .follow(handle, run);
          if (ended.status() == AgentRun.Status.COMPLETED) {
            System.out.println(AgentsText.output(ended));
            remember(new Exchange(line, ended), said);
          } else {
            BoardOptions.note(AskCommand.failed(id, ended));
          }
          return Optional.of(ended);
        } finally {
          open = Optional.empty();
        }
      } catch (CompletionException failure) {
        if (failure.getCause() instanceof AgentException refused) {
          BoardOptions.note(refused.getMessage());
          return Optional.empty();
        }
        throw failure;
      }
    }

    /** How a person comes back to the run, or where none is under way to the conversation. */
    private String interrupted(SessionId of) {
      return open.map(run -> reach.goesOn(agent.id, run))
          .orElseGet(() ->
              "interrupted; go on in the same session with: colony chat %s --session %s%s"
                  .formatted(agent.id, of, reach.again()));
    }

    private static void remember(Exchange exchange, Deque<Exchange> said) {
      said.addLast(exchange);
      while (said.size() > EXCHANGES) {
        said.removeFirst();
      }
    }

    /** The line is the goal; what was said before it is part of the context. */
    private static ObjectNode input(String line, Deque<Exchange> said) {
      ObjectNode input = JsonNodeFactory.instance.objectNode();
      input.putArray("goals").add(line);
      if (!said.isEmpty()) {
        ArrayNode before = input.putObject("initialContext").putArray("conversation");
        for (Exchange one : said) {
          before.addObject().put("user", one.user()).set("you", one.run().output());
        }
      }
      return input;
    }
  }
}
