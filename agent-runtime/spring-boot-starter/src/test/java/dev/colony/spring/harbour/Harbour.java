package dev.colony.spring.harbour;

import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Agents;
import dev.colony.agent.client.Colony;
import dev.colony.spring.harbour.HarbourTest.Glossary;
import org.springframework.stereotype.Service;

// guide: service
@Service
public class Harbour {

  private final AgentHandle agent;

  public Harbour(Colony colony) {
    this.agent =
        colony.spawn(
            Agents.named("glossary").tools(new Glossary()).goal("Explain the word asked for."));
  }

  public String explain(String word) {
    return agent.ask("What is a " + word + "?");
  }
}

// guide end
