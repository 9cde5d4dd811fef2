package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.cli.agents.SignalResult;
import dev.colony.cli.agents.SignalSender;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's word on something that an agent asks for, and whom it is given to. */
final class AnswerOptions {

  @Mixin private AgentParameter agent;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "REQUEST",
      description = "What it asks for; may be left out if that is one thing only.")
  private Optional<String> request;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Who answers (default: ${DEFAULT-VALUE}).")
  private String by;

  @Option(names = "--note", paramLabel = "TEXT", description = "For the run, one line.")
  private String note = "";

  @Mixin private WaitOption wait;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  /** Gives it, and says what became of it. */
  int give(boolean granted) {
    AgentId id = agent.id();
    Duration patience = wait.period();
    SignalResult told =
        reach.with(
            api ->
                SignalSender.answer(api.colony().agent(id), patience, request, granted, by, note),
            (view, colony) ->
                new SignalSender(view, colony, patience).answer(id, request, granted, by, note));
    System.out.println(json.given() ? Printable.line(WireJson.write(told)) : told.message());
    return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }
}
