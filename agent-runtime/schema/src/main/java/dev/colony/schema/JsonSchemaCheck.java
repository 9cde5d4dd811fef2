package dev.colony.schema;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonNodePath;
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
import dev.colony.blackboard.value.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Holds values against a JSON schema (draft 2020-12) and says in plain lines what is wrong, for a
 * planner that is to mend it. Formats are held too. A schema may refer to itself; nothing is ever
 * fetched. Thread-safe; make it once per schema.
 */
public final class JsonSchemaCheck {

  /** Lines that one value is answered with at most; the rest is counted. */
  public static final int MAX_LINES = 10;

  /** Arrays and objects within each other, at most. */
  public static final int MAX_DEPTH = 64;

  /** Where the library carries the draft's metaschemas. */
  private static final String METASCHEMAS = "classpath:draft/2020-12/";

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          builder ->
              builder.schemaLoaders(loaders ->
                  loaders.add(
                      new AllowSchemaLoader(iri -> iri.toString().startsWith(METASCHEMAS)))));

  private static final SchemaValidatorsConfig CONFIG =
      SchemaValidatorsConfig.builder()
          .formatAssertionsEnabled(true)
          .pathType(PathType.JSON_PATH)
          .build();

  private static final JsonSchema METASCHEMA =
      FACTORY.getSchema(SchemaLocation.of(SchemaId.V202012));

  private final JsonSchema schema;

  private JsonSchemaCheck(JsonSchema schema) {
    this.schema = schema;
  }

  /**
   * The check against a schema.
   *
   * @throws IllegalArgumentException on one line, if it is no schema of the draft or refers to one
   *     that is not there
   */
  public static JsonSchemaCheck of(JsonNode schema) {
    Set<ValidationMessage> wrong = METASCHEMA.validate(schema);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(
          "this is no JSON schema: " + Text.message(wrong.iterator().next().getMessage()));
    }
    try {
      JsonSchema compiled = FACTORY.getSchema(schema.deepCopy(), CONFIG);
      compiled.initializeValidators();
      return new JsonSchemaCheck(compiled);
    } catch (JsonSchemaException failure) {
      throw new IllegalArgumentException(
          "this is no JSON schema: " + Text.message(failure), failure);
    }
  }

  /**
   * Something in a value that its schema refuses.
   *
   * @param where the value that is refused; of a field that is missing or that there may not be,
   *     the object
   * @param field the name of that field; empty otherwise
   * @param why one line, without the place
   */
  public record Violation(JsonPointer where, Optional<String> field, String why) {}

  /** The same as {@link #violations} has, each with its place, and all of them. */
  public List<Violation> located(JsonNode value) {
    if (deeper(value, MAX_DEPTH)) {
      return List.of(new Violation(JsonPointer.empty(), Optional.empty(), tooDeep()));
    }
    return schema.validate(value).stream()
        .map(wrong ->
            new Violation(
                pointer(wrong.getInstanceLocation()),
                Optional.ofNullable(wrong.getProperty()),
                Text.message(wrong.getError())))
        .distinct()
        .toList();
  }

  private static JsonPointer pointer(JsonNodePath path) {
    JsonPointer pointer = JsonPointer.empty();
    for (int i = 0; i < path.getNameCount(); i++) {
      pointer =
          path.getElement(i) instanceof Integer index
              ? pointer.appendIndex(index)
              : pointer.appendProperty(path.getName(i));
    }
    return pointer;
  }

  private static String tooDeep() {
    return "it is nested deeper than " + MAX_DEPTH + " levels";
  }

  /** What is wrong, one line each, in a stable order; empty if nothing is. */
  public List<String> violations(JsonNode value) {
    if (deeper(value, MAX_DEPTH)) {
      return List.of(tooDeep());
    }
    List<String> lines =
        schema.validate(value).stream().map(JsonSchemaCheck::line).distinct().sorted().toList();
    if (lines.size() <= MAX_LINES) {
      return lines;
    }
    List<String> shown = new ArrayList<>(lines.subList(0, MAX_LINES));
    shown.add("and " + (lines.size() - MAX_LINES) + " more");
    return List.copyOf(shown);
  }

  private static String line(ValidationMessage wrong) {
    String message = wrong.getMessage();
    return Text.message(message.startsWith("$: ") ? message.substring(3) : message);
  }

  private static boolean deeper(JsonNode value, int levels) {
    if (!value.isContainerNode()) {
      return false;
    }
    if (levels == 0) {
      return true;
    }
    for (JsonNode inner : value) {
      if (deeper(inner, levels - 1)) {
        return true;
      }
    }
    return false;
  }
}
