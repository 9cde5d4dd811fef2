package dev.colony.code;

import dev.colony.agent.author.TypeProvider;

/** The policy whose model writes code, and the layers of its prompts. */
public final class CodeTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(CodeGenerationActionPolicy.class);
    types.add(CodeLayers.RulesLayer.class);
    types.add(CodeLayers.FunctionsLayer.class);
    types.add(CodeLayers.CellsLayer.class);
    types.add(CodeLayers.VariablesLayer.class);
    types.add(CodeLayers.AskLayer.class);
  }
}
