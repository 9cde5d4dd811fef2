dependencies {
    api(project(":agent-runtime:core"))
    api(libs.mcp.core)
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(":agent-runtime:testkit"))
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
