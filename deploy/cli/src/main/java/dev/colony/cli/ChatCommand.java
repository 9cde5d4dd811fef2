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
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.agents.RunFollower;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.settings.TalkSettings;
import dev.colony.cli.terminal.TypedLines;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Talks with an agent, line by line. */
@Command(
    name = "chat",
    mixinStandardHelpOptions = true,
    description = {
      "Talks with an agent: each line is a run, all of them in one session, and the newest"
          + " exchanges go along with each.",
      "/quit, or the end of the input, ends it. A run survives the nodes and this command.",
    })
final class ChatCommand implements Callable<Integer> {

  private static final String NAMESPACE = "chat";
  private static final String QUIT = "/quit";

  @Mixin private AgentParameter agent;

  @Option(
      names = "--session",
      paramLabel = "S",
      converter = AgentWords.Session.class,
      description = "The session of the runs; it is opened if it is new (default: a new one).")
  private Optional<SessionId> session;

  @Mixin private ColonyOptions reach;

  /** The run that is waited for. */
  private volatile Optional<RunId> open = Optional.empty();

  /** A line and what became of it. */
  private record Exchange(String user, AgentRun run) {}

  @Override
  public Integer call() {
    TalkSettings settings = TalkSettings.fromConfig(reach.config());
    return reach.<ExitCode>with(colony -> talk(colony, settings)).status();
  }

  private ExitCode talk(Colony colony, TalkSettings settings) {
    AgentId id = agent.id();
    if (colony.agent(id).state().join().isEmpty()) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, "there is no agent " + id);
    }
    SessionId of = session.orElseGet(() -> new SessionId("chat-" + RunNames.next()));
    Deque<Exchange> said = new ArrayDeque<>();
    ExitCode worst = ExitCode.OK;
    OnExit onExit = OnExit.run(() -> OnExit.say(interrupted(of)));
    try (TypedLines lines =
        TypedLines.standardInput(
            reach.state().root().resolve("chat-history"), settings.history())) {
      colony.sessions(id.tenant(), id.colony()).open(of, BoardOptions.WRITER).join();
      for (Optional<String> line = lines.next();
          line.isPresent() && !line.get().strip().equals(QUIT);
          line = lines.next()) {
        if (line.get().isBlank()) {
          continue;
        }
        Optional<AgentRun> answered = answer(colony, of, line.get().strip(), said, settings);
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
      Colony colony, SessionId of, String line, Deque<Exchange> said, TalkSettings settings) {
    AgentId id = agent.id();
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
        AgentRun ended = new RunFollower(settings, System.err, reach.again()).follow(handle, run);
        if (ended.status() == AgentRun.Status.COMPLETED) {
          System.out.println(AgentsText.output(ended));
          remember(new Exchange(line, ended), said, settings.exchanges());
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
    return open.map(run -> reach.goesOn(agent.id(), run))
        .orElseGet(() ->
            "interrupted; go on in the same session with: colony chat %s --session %s%s"
                .formatted(agent.id(), of, reach.again()));
  }

  private static void remember(Exchange exchange, Deque<Exchange> said, int most) {
    said.addLast(exchange);
    while (said.size() > most) {
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
