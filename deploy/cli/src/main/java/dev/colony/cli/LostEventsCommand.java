package dev.colony.cli;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.journal.LostLogs.Decision;
import dev.colony.journal.LostLogs.Lost;
import dev.colony.server.AgentViews.LostEventsOfAgent;
import dev.colony.server.AgentViews.LostEventsPage;
import dev.colony.server.LostEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "lost-events",
    description = {
      "Lists the agents of which Redis has lost events that it had acknowledged, and decides about"
          + " them.",
      "What the lost events did outside, a payment for example, has happened. Until it is decided"
          + " about, such an agent does nothing."
    },
    subcommands = {
      LostEventsCommand.ListThem.class,
      LostEventsCommand.Continue.class,
      LostEventsCommand.Close.class,
      LostEventsCommand.Restore.class,
    })
final class LostEventsCommand {

  private static String line(String done, Lost log) {
    return Printable.of(
        "%s%s  events %d to %d"
            .formatted(done, log.persistenceId(), log.stored() + 1, log.acknowledged()));
  }

  @Command(
      name = "list",
      description = "Lists the agents that wait for a decision, with the events that are lost.")
  static final class ListThem extends StoreCommand {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        converter = Words.Name.class,
        description = "Only agents of this tenant.")
    private Optional<String> tenant;

    @Override
    public Integer call() {
      List<Lost> lost = board.withAgents(view -> view.lostEvents().list(tenant));
      return json.lines(LostEventsPage.of(lost), lost, "no events are lost", log -> line("", log));
    }
  }

  private abstract static class Each extends StoreCommand {

    @ArgGroup(multiplicity = "1")
    private Which which;

    private static final class Which {

      @Parameters(
          arity = "1..*",
          paramLabel = "AGENT",
          description = "For example acme/billing/reviewer.")
      private List<AgentId> agents = List.of();

      @Option(names = "--all", description = "All that wait for a decision.")
      private boolean all;

      List<AgentId> among(LostEvents events) {
        return all
            ? events.list(Optional.empty()).stream()
                .map(log -> AgentId.parse(log.persistenceId()))
                .toList()
            : agents;
      }
    }

    private final String done;
    private final BiFunction<LostEvents, AgentId, Lost> decide;

    Each(String done, BiFunction<LostEvents, AgentId, Lost> decide) {
      this.done = done;
      this.decide = decide;
    }

    @Override
    public Integer call() {
      List<LostEventsOfAgent> decided = new ArrayList<>();
      List<String> refused = new ArrayList<>();
      board.withAgents(view -> {
        for (AgentId agent : which.among(view.lostEvents())) {
          try {
            Lost log = decide.apply(view.lostEvents(), agent);
            decided.add(LostEventsOfAgent.of(log));
            if (!json.given()) {
              System.out.println(line(done + " ", log));
            }
          } catch (AgentException none) {
            refused.add(none.getMessage());
          }
        }
        return decided;
      });
      if (json.given()) {
        json.print(Map.of(done, decided), String::new);
      }
      refused.forEach(BoardOptions::note);
      return refused.isEmpty() ? ExitCode.OK.status() : ExitCode.UNSUCCESSFUL.status();
    }
  }

  @Command(
      name = "continue",
      description =
          "Lets agents go on from the older state. What the lost events did may be done again.")
  static final class Continue extends Each {
    Continue() {
      super("continued", (events, agent) -> events.decide(agent, Decision.CONTINUE));
    }
  }

  @Command(
      name = "close",
      description = "Lets agents go on, after the run that is open in the older state has failed.")
  static final class Close extends Each {
    Close() {
      super("closed", (events, agent) -> events.decide(agent, Decision.CLOSE));
    }
  }

  @Command(
      name = "restore",
      description =
          "Gives agents their events back from the memory of a node that is up. Refused where no"
              + " node remembers all of them.")
  static final class Restore extends Each {
    Restore() {
      super("restored", LostEvents::restore);
    }
  }
}
