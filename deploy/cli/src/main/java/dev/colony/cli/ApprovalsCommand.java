package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.view.PendingApproval;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.PendingApprovals;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.AgentFilter;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.ShownAgent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists what agents ask persons for. */
@Command(
    name = "approvals",
    mixinStandardHelpOptions = true,
    description = {
      "Lists what agents ask persons for and wait for, with how to answer.",
      "It reads the journals of the agents that the options leave; of many colonies that takes a"
          + " while.",
    })
final class ApprovalsCommand implements Callable<Integer> {

  private static final AgentFilter ASKING =
      new AgentFilter("", Optional.empty(), Optional.<AgentState>empty(), Optional.empty(), true);

  @Parameters(
      arity = "0..1",
      paramLabel = "AGENT",
      converter = AgentWords.Id.class,
      description = "Only what this one asks for.")
  private Optional<AgentId> agent;

  @Mixin private ColonyFilter of;

  @Mixin private LimitOption limit;

  @Option(
      names = "--after",
      paramLabel = "AGENT",
      converter = AgentWords.Id.class,
      description = "The last one of the page before.")
  private Optional<AgentId> after;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    int most = limit.checked();
    AgentsReader.Page<List<PendingApproval>> page =
        board.withAgents(view ->
            agent.isPresent()
                ? new AgentsReader.Page<>(
                    List.of(view.find(agent.get()).pending()), Optional.empty())
                : view.list(
                    of.tenant(),
                    of.colony(),
                    ASKING,
                    AgentsReader.PageSize.filled(most),
                    after,
                    ShownAgent::pending));
    List<PendingApproval> asked = page.found().stream().flatMap(List::stream).toList();
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(new PendingApprovals(asked))));
      return ExitCode.OK.status();
    }
    System.out.println(
        asked.isEmpty()
            ? "no agent waits for a person"
            : asked.stream().map(AgentsText::approval).collect(Collectors.joining("\n")));
    page.next().ifPresent(id -> System.out.println("there may be more: --after " + id));
    return ExitCode.OK.status();
  }
}
