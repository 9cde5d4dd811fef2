package dev.colony.code;

import dev.colony.agent.author.TypeProvider;

/** The policy whose model writes code. */
public final class CodeTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(CodeGenerationActionPolicy.class);
  }
}
