package dev.colony.cli;

import dev.colony.agent.AgentBlueprint;
import dev.colony.cli.agents.SignalResult;
import dev.colony.cli.agents.SignalSender;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has an agent live by another blueprint. */
@Command(
    name = "revise",
    mixinStandardHelpOptions = true,
    description = {
      "Has an agent live by the blueprint that a file describes, from its next step on. The file is"
          + " checked first, as spawn does.",
      "Capabilities that stay keep what they have kept. An agent keeps its kind and its pages; the"
          + " name in the file makes no difference.",
    })
final class AgentsReviseCommand implements Callable<Integer> {

  @Mixin private AgentParameter agent;

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "A blueprint as JSON; comments are fine.")
  private Path file;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "For the agent's history, one line.")
  private String reason = "";

  @Mixin private WaitOption wait;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    AgentBlueprint blueprint = SpawnCommand.read(file).blueprint();
    SignalResult told =
        reach.with(colony ->
            SignalSender.revise(colony.agent(agent.id()), wait.period(), blueprint, reason));
    System.out.println(json.given() ? Printable.line(WireJson.write(told)) : told.message());
    return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }
}
