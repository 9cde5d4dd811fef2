package dev.colony.spring.harbour;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.spring.harbour.HarbourTest.GlossaryCapability;
import java.time.Duration;
import java.util.Map;
import org.springframework.stereotype.Service;

// guide: service
@Service
public class Harbour {

  private final AgentHandle agent;

  public Harbour(Colony colony) {
    AgentBlueprint glossary =
        AgentBlueprint.of(
                MinimalActionPolicy.class,
                PlannerArgs.NONE
                    .role("You explain the words of seafaring.")
                    .goals("Look up the term that is asked for, then complete with its meaning."))
            .capability(GlossaryCapability.class);
    this.agent = colony.spawn(new AgentId("acme", "harbour", "glossary"), glossary).join();
  }

  public AgentRun explain(String term) {
    return agent
        .run(Map.of("term", term), RunOptions.namespace("ask").timeout(Duration.ofMinutes(2)))
        .join();
  }
}

// guide end
