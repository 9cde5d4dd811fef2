dependencies {
    api(project(":agent-runtime:api"))
    api(libs.byte.buddy)
    api(libs.jackson.dataformat.cbor)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
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
