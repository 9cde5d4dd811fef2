package com.example.harbour;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.cli.CommandLog;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

public final class Main {

  public static void main(String[] args) {
    String term = args.length == 0 ? "bow" : args[0];
    Optional<URI> model = args.length < 2 ? Optional.empty() : Optional.of(URI.create(args[1]));
    StateDirectory state = StateDirectory.open(Path.of(".colony"));
    CommandLog.into(state, "harbour");
    ClusterLauncher launcher = new ClusterLauncher(state, Optional.empty(), System.err::println);
    try (Cluster cluster = launcher.startForCommand(1, model, "harbour")) {
      AgentHandle agent =
          cluster.colony().spawn(new AgentId("acme", "harbour", "glossary"), glossary()).join();
      AgentRun run =
          agent
              .run(Map.of("term", term), RunOptions.namespace("ask").timeout(Duration.ofMinutes(2)))
              .join();
      System.out.println(
          run.error().orElseGet(() -> run.output() + " after " + run.stats().steps() + " steps"));
    }
  }

  private static AgentBlueprint glossary() {
    return AgentBlueprint.of(
            MinimalActionPolicy.class,
            PlannerArgs.NONE
                .role("You explain the words of seafaring.")
                .goals("Look up the term that is asked for, then complete with its meaning."))
        .capability(
            GlossaryCapability.class,
            new GlossaryCapability.Args(Map.of("bow", "the front of a ship", "stern", "its back")));
  }
}
