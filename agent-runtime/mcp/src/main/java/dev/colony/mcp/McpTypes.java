package dev.colony.mcp;

import dev.colony.agent.author.TypeProvider;

public final class McpTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(McpCapability.class);
  }
}
