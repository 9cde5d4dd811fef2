package dev.colony.blackboard.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.AllowSchemaLoader;
import java.util.Set;

/**
 * A JSON schema (draft 2020-12) that every value can be held against. It may refer to itself where
 * that leads deeper into the value, and to the draft's metaschemas; nothing is ever fetched.
 * Patterns are read as ECMA-262 has them. Thread-safe; make it once per schema.
 */
public final class CompiledSchema {

  /** Where the library carries the draft's metaschemas. */
  private static final String METASCHEMAS = "classpath:draft/2020-12/";

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          builder ->
              builder.schemaLoaders(loaders ->
                  loaders.add(
                      new AllowSchemaLoader(iri -> iri.toString().startsWith(METASCHEMAS)))));

  private static final SchemaValidatorsConfig NOTED = config(false);
  private static final SchemaValidatorsConfig ASSERTED = config(true);

  private static final JsonSchema METASCHEMA =
      FACTORY.getSchema(SchemaLocation.of(SchemaId.V202012));

  private final JsonSchema schema;

  private CompiledSchema(JsonSchema schema) {
    this.schema = schema;
  }

  private static SchemaValidatorsConfig config(boolean formats) {
    return SchemaValidatorsConfig.builder()
        .formatAssertionsEnabled(formats)
        .pathType(PathType.JSON_PATH)
        .regularExpressionFactory(regex -> EcmaPattern.of(regex)::foundIn)
        // What a reference leads to is compiled when a value comes there: schemas that refer to
        // each other twice at each of thirty levels would fill the heap.
        .preloadJsonSchemaRefMaxNestingDepth(0)
        .build();
  }

  /**
   * Compiles a schema; it is copied.
   *
   * @param formats whether {@code format} is held; a note otherwise, as the draft has it
   * @throws IllegalArgumentException on one line that names the place in the schema, if it is no
   *     schema of the draft, is nested too deep, refers to one that is not there, or refers to
   *     itself without going deeper into the value
   */
  public static CompiledSchema of(JsonNode schema, boolean formats) {
    SchemaStructure.checkDepth(schema);
    refuse(METASCHEMA.validate(schema), "");
    SchemaStructure.check(
        schema, (target, pointer) -> refuse(METASCHEMA.validate(target), " at " + pointer));
    try {
      JsonSchema compiled = FACTORY.getSchema(schema.deepCopy(), formats ? ASSERTED : NOTED);
      compiled.initializeValidators();
      return new CompiledSchema(compiled);
    } catch (JsonSchemaException failure) {
      throw new IllegalArgumentException(Text.message(failure), failure);
    }
  }

  private static void refuse(Set<ValidationMessage> wrong, String where) {
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(
          Text.message(wrong.iterator().next().getMessage() + where));
    }
  }

  /**
   * What is wrong with a value; empty if nothing is.
   *
   * @throws IllegalArgumentException on one line, if the value is nested too deep for its schema
   */
  public Set<ValidationMessage> validate(JsonNode value) {
    try {
      return schema.validate(value);
    } catch (StackOverflowError deep) {
      // The schema's own steps are bounded, the value's levels by the door that took it.
      throw new IllegalArgumentException("it is nested too deep for its schema", deep);
    }
  }

  /**
   * Brings a schema from the root of a document to another place in it: its pointers move along.
   *
   * @param at JSON pointer of the new place
   * @param schema is changed
   * @return the same schema
   */
  public static JsonNode below(String at, JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      object.remove("$schema");
      object
          .properties()
          .forEach(one -> {
            String target = one.getValue().asText("");
            if (one.getKey().equals("$ref") && (target.equals("#") || target.startsWith("#/"))) {
              one.setValue(JsonNodeFactory.instance.textNode("#" + at + target.substring(1)));
            } else {
              below(at, one.getValue());
            }
          });
    } else {
      schema.forEach(one -> below(at, one));
    }
    return schema;
  }
}
