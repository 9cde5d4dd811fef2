package dev.colony.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What others may do. */
@Command(
    name = "access",
    mixinStandardHelpOptions = true,
    description = "Says how to let others reach agents, and no more than theirs.",
    subcommands = RedisAclCommand.class)
final class AccessCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give a subcommand: redis-acl");
  }
}
