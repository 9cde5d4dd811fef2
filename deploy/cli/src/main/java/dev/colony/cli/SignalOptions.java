package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.cli.agents.SignalResult;
import dev.colony.cli.agents.SignalSender;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import java.time.Duration;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands have in common that tell an agent something. */
final class SignalOptions {

  @Mixin private AgentParameter agent;

  @Option(
      names = "--wait",
      paramLabel = "PERIOD",
      defaultValue = "10s",
      converter = BoardWords.Period.class,
      description =
          "How long to wait until the agent has taken it; it will, in any case (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration wait;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  /** Tells it, and says what became of it. */
  int tell(BiFunction<SignalSender, AgentId, SignalResult> what) {
    SignalResult told =
        board.withAgents(
            (view, colony) -> what.apply(new SignalSender(view, colony, wait), agent.id()));
    System.out.println(json.given() ? Printable.line(WireJson.write(told)) : told.message());
    return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }
}
