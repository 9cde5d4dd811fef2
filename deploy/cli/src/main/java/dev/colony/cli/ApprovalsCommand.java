package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.CommandOptions.ColonyFilter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.client.http.HttpColony;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.server.AgentsReader;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What agents ask persons for. */
@Command(
    name = "approvals",
    description = {
      "Lists what agents ask persons for and wait for, with how to answer.",
      "It reads the journals of the agents that the options leave; of many colonies that takes a"
          + " while.",
    })
final class ApprovalsCommand implements Callable<Integer> {

  private static final AgentFilter ASKING =
      new AgentFilter("", Optional.empty(), Optional.<AgentState>empty(), Optional.empty(), true);

  @Parameters(arity = "0..1", paramLabel = "AGENT", description = "Only what this one asks for.")
  private Optional<AgentId> agent;

  @Mixin private ColonyFilter of;

  @Mixin private LimitOption limit;

  @Option(names = "--after", paramLabel = "AGENT", description = "The last one of the page before.")
  private Optional<AgentId> after;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    int most = limit.checked();
    PendingApprovals asked =
        reach.with(api -> overHttp(api, most), (view, colony) -> page(view, most));
    return json.lines(
        asked,
        asked.approvals(),
        "no agent waits for a person",
        one -> AgentsText.approval(one, reach.again()),
        asked.next().map("there may be more: --after "::concat));
  }

  private PendingApprovals page(AgentsReader view, int most) {
    if (agent.isPresent()) {
      return new PendingApprovals(view.find(agent.get()).pending(), Optional.empty());
    }
    AgentsReader.Page<List<PendingApproval>> page =
        view.list(
            of.tenant,
            of.colony,
            ASKING,
            AgentsReader.PageSize.filled(most),
            after,
            ShownAgent::pending);
    return new PendingApprovals(
        page.found().stream().flatMap(List::stream).toList(),
        page.next().map(AgentId::persistenceId));
  }

  private PendingApprovals overHttp(ColonyOptions.Api api, int most) {
    if (agent.isPresent()) {
      AgentId id = agent.get();
      AgentHandle handle = api.colony().agent(id);
      if (handle.state().join().isEmpty()) {
        throw CommandFailure.unsuccessful("there is no agent " + id);
      }
      return new PendingApprovals(handle.pending().join(), Optional.empty());
    }
    String tenant =
        of.tenant
            .or(() -> after.map(AgentId::tenant))
            .orElseThrow(() ->
                CommandFailure.badInput(
                    "give a --tenant or an AGENT: with --url, one tenant's agents are listed"));
    PendingApprovals page =
        HttpColony.approvals(api.url(), api.key(), api.config(), tenant, of.colony, most, after)
            .join();
    String within = tenant + "/" + of.colony.map(name -> name + "/").orElse("");
    return new PendingApprovals(page.approvals(), page.next().map(within::concat));
  }
}
