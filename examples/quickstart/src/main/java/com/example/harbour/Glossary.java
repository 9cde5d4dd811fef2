package com.example.harbour;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.Param;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Agents;
import dev.colony.agent.client.Colony;
import java.util.Map;

public final class Glossary {

  static final Map<String, String> WORDS = Map.of("bow", "front of a ship", "stern", "its back");

  record Term(@Param("the word to look up") String term) {}

  @ActionExecutor(summary = "Looks a word up in the house glossary.")
  String lookUp(Term term) {
    return WORDS.getOrDefault(term.term(), "no such word; there are " + WORDS.keySet());
  }

  public static void main(String[] args) {
    try (Colony colony = Colony.local()) {
      AgentHandle agent =
          colony.spawn(
              Agents.named("glossary").tools(new Glossary()).goal("Explain the word asked for."));
      System.out.println(agent.ask(args.length == 0 ? "What is a bow?" : args[0]));
    }
  }
}
