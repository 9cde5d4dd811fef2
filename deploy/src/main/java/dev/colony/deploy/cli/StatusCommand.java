package dev.colony.deploy.cli;

import dev.colony.deploy.ExitCode;
import dev.colony.deploy.agents.AgentsView;
import dev.colony.deploy.local.NodeRecord;
import dev.colony.deploy.local.StateDirectory;
import dev.colony.deploy.local.UpRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what is up. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Says what is up in the state directory, and how the store fares: what waits in the inbox,"
          + " when Redis last went back to an older state, and how many agents have lost events."
    })
final class StatusCommand implements Callable<Integer> {

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    StateDirectory state = board.state();
    Optional<UpRecord> record = UpRecord.find(state);
    if (record.isEmpty() && !board.elsewhere()) {
      System.out.println("nothing is up in " + state.root());
      return ExitCode.UNSUCCESSFUL.status();
    }
    record.ifPresent(up -> print(state, up));
    board.withAgents(AgentsView::store).lines(Instant.now()).forEach(System.out::println);
    return ExitCode.OK.status();
  }

  static void print(StateDirectory state, UpRecord record) {
    List<NodeRecord> living = record.living(state);
    System.out.printf(
        "%d of %d nodes are up · redis %s · model %s · state %s%n",
        living.size(),
        record.nodes().size(),
        withoutPassword(record.redisUri()),
        record.modelUrl().isEmpty()
            ? "embedded replica (lexical, no neural network)"
            : record.modelUrl(),
        state.root());
    for (NodeRecord node : living) {
      System.out.printf(
          "  %s  %s  pid %d  model server %s%s%s%n",
          node.name(),
          node.address(),
          node.pid(),
          node.replica(),
          node.management().isEmpty() ? "" : "  management http://" + node.management(),
          node.api().isEmpty() ? "" : "  API " + node.api());
    }
  }

  /** What is printed ends up in tickets and logs. */
  private static String withoutPassword(String redisUri) {
    return redisUri.replaceFirst("://[^/]*@", "://");
  }
}
