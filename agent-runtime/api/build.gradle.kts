dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache:pages"))
    api(project(":inference-gateway:gateway"))
    testImplementation(project(":agent-runtime:testkit-board"))
    api(libs.jsonschema.generator)
    api(libs.jsonschema.module.jackson)
    api(libs.json.schema.validator) {
        exclude(group = "com.fasterxml.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    api(libs.jackson.datatype.jdk8)
    api(libs.jackson.datatype.jsr310)
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
