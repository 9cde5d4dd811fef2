package dev.colony.client.http;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import java.net.URI;

/** A program that has an agent run over HTTP, and nothing else. */
public final class BareCaller {

  private BareCaller() {}

  /** Takes the address of the API; prints how the run ended. */
  public static void main(String[] args) {
    AgentRun end =
        HttpColony.at(URI.create(args[0]), "key")
            .agent(new AgentId("acme", "guide", "reviewer"))
            .run(TextNode.valueOf("check"), RunOptions.namespace("compliance"))
            .result()
            .toCompletableFuture()
            .join();
    System.out.println(end.status() + " " + end.output());
  }
}
