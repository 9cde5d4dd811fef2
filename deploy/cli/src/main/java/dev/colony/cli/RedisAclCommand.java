package dev.colony.cli;

import dev.colony.blackboard.redis.TenantRights;
import dev.colony.cli.exit.ExitCode;
import dev.colony.journal.JournalRights;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints the Redis user with which a program outside the cluster reaches one tenant's agents. */
@Command(
    name = "redis-acl",
    mixinStandardHelpOptions = true,
    description =
        "Prints the Redis command that makes a user for programs of one tenant: with it"
            + " a ColonyClient does all that it does with that tenant's agents and scopes, and"
            + " is refused every other tenant's.")
final class RedisAclCommand implements Callable<Integer> {

  /** What no rule changes, for an operator who decides which program to give such a user. */
  private static final List<String> SHARED =
      List.of(
          "Redis parts the tenants' entries, events, results and journals. It cannot part what"
              + " they",
          "share: such a user may also put requests into the inbox for any agent, read and remove",
          "those that wait there, see the names of all scopes, put the cluster time ahead, and"
              + " overwrite",
          "what says how the data are laid out. Give it to programs that you trust so far; to"
              + " others, a key of the HTTP API.");

  @Option(
      names = "--tenant",
      required = true,
      paramLabel = "T",
      description = "Whose agents it reaches.")
  private String tenant;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "The user's name; without, colony-TENANT. One that exists is made anew.")
  private String user;

  @Override
  public Integer call() {
    System.out.println(rule());
    SHARED.forEach(System.err::println);
    return ExitCode.OK.status();
  }

  private String rule() {
    return BoardOptions.refusing(() ->
        Stream.of(
                Stream.of("ACL", "SETUSER", user == null ? "colony-" + tenant : user),
                Stream.of("reset", "on", ">PASSWORD"),
                TenantRights.of(tenant).stream(),
                JournalRights.of(tenant).stream())
            .flatMap(words -> words)
            .collect(Collectors.joining(" ")));
  }
}
