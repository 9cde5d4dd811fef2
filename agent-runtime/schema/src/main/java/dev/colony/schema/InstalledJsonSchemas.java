package dev.colony.schema;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.author.JsonSchemaProvider;
import java.lang.reflect.Type;
import java.util.List;

/** {@link JsonSchemas} and {@link JsonSchemaCheck} for modules that know only the interface. */
public final class InstalledJsonSchemas implements JsonSchemaProvider {

  /** For {@link java.util.ServiceLoader}. */
  public InstalledJsonSchemas() {}

  @Override
  public JsonNode input(Type type) {
    return JsonSchemas.input(type);
  }

  @Override
  public JsonNode output(Type type) {
    return JsonSchemas.output(type);
  }

  @Override
  public List<String> violations(JsonNode schema, JsonNode value) {
    return JsonSchemaCheck.of(schema).violations(value);
  }

  @Override
  public void check(JsonNode schema) {
    JsonSchemaCheck.of(schema);
  }
}
