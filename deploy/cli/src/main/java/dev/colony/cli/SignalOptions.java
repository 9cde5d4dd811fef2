package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.cli.agents.SignalResult;
import dev.colony.cli.agents.SignalSender;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;

/** What the commands have in common that tell an agent something. */
final class SignalOptions {

  @Mixin private AgentParameter agent;

  @Mixin private WaitOption wait;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  /** Tells it, and says what became of it. */
  int tell(BiFunction<SignalSender, AgentId, SignalResult> what) {
    SignalResult told =
        board.withAgents((view, colony) ->
            what.apply(new SignalSender(view, colony, wait.period()), agent.id()));
    System.out.println(json.given() ? Printable.line(WireJson.write(told)) : told.message());
    return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }
}
