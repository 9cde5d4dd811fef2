package dev.colony.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.Scope;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.node.retention.EndedRuns;
import dev.colony.server.agents.AgentsReader;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What there is to do about runs that have ended. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    description = "Deletes what runs that have ended have left on the blackboard.",
    subcommands = RunsCommand.Purge.class)
final class RunsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give a command");
  }

  /** Deletes what runs that have ended have left. */
  @Command(
      name = "purge",
      mixinStandardHelpOptions = true,
      description = {
        "Deletes the requests, the results and what was made known of runs that have ended. It"
            + " cannot be taken back, and their idempotency keys are free again.",
        "Runs without a result are not touched; journals and sessions neither.",
      })
  static final class Purge implements Callable<Integer> {

    @Mixin private PurgeOptions options;

    @Mixin private JsonOption json;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      if (!options.ofColonies()) {
        throw new CommandFailure(ExitCode.BAD_INPUT, "give --tenant, --colony or both");
      }
      long purged = board.withAgents(this::purge);
      if (json.given()) {
        System.out.println(
            Printable.line(
                JsonNodeFactory.instance
                    .objectNode()
                    .put("purged", purged)
                    .put("dryRun", options.dryRun())));
      } else {
        System.out.println(options.done() + purged + " runs");
      }
      return ExitCode.OK.status();
    }

    private long purge(AgentsReader view) {
      LongAdder purged = new LongAdder();
      options.<Scope>eachPage(
          view,
          (colony, after) -> {
            EndedRuns.Page page =
                view.purging()
                    .runs(
                        colony.tenant(),
                        colony.colony().orElseThrow(),
                        after,
                        options.olderThan(),
                        options.dryRun());
            purged.add(page.runs());
            return page.next();
          });
      return purged.sum();
    }
  }
}
