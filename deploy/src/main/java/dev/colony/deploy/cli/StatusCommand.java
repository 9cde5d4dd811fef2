package dev.colony.deploy.cli;

import dev.colony.deploy.ExitCode;
import dev.colony.deploy.local.NodeRecord;
import dev.colony.deploy.local.StateDirectory;
import dev.colony.deploy.local.UpRecord;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what is up. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Says what is up in the state directory.")
final class StatusCommand implements Callable<Integer> {

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    StateDirectory state = stateOption.open();
    Optional<UpRecord> record = UpRecord.find(state);
    if (record.isEmpty()) {
      System.out.println("nothing is up in " + state.root());
      return ExitCode.UNSUCCESSFUL.status();
    }
    print(state, record.get());
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
