; The setup program for Windows: for one user, without an administrator; /S installs silently, /D=FOLDER elsewhere.
; build.py defines NAME, APP_ID, VERSION, NUMBERS, SIZE_KB, OUT, ICON, YEAR and FILES (an included list of
; File commands in a fixed order).

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
ShowInstDetails nevershow
ShowUninstDetails nevershow

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "WinVer.nsh"
!include "x64.nsh"

!define EXE "${NAME}.exe"
!define CONSOLE_EXE "mfu-gui.exe"
!define MARK "_internal\installation.txt"
!define TYPE "MfuCalculator.Scenario"
!define WORKSPACE "MfuCalculator.Workspace"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${APP_ID}"
!define SETTINGS_KEY "Software\${APP_ID}"

Name "${NAME}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${SETTINGS_KEY}" "InstallFolder"
BrandingText "${NAME} ${VERSION}"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_LANGDLL_REGISTRY_ROOT HKCU
!define MUI_LANGDLL_REGISTRY_KEY "${SETTINGS_KEY}"
!define MUI_LANGDLL_REGISTRY_VALUENAME "InstallerLanguage"
!define MUI_LANGDLL_ALLLANGUAGES
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE CheckFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\${EXE}"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES

!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString TOO_OLD ${LANG_ENGLISH} "${NAME} needs Windows 10 or later, 64 bit."
LangString TOO_OLD ${LANG_SIMPCHINESE} "MFU 计算器需要 64 位的 Windows 10 或更高版本。"
LangString NOT_EMPTY ${LANG_ENGLISH} "The folder $INSTDIR holds other files. Choose an empty or a new folder."
LangString NOT_EMPTY ${LANG_SIMPCHINESE} "文件夹 $INSTDIR 中有其他文件。请选择空文件夹或新文件夹。"
LangString IN_USE ${LANG_ENGLISH} "${NAME} is running. Close its windows, then try again."
LangString IN_USE ${LANG_SIMPCHINESE} "MFU 计算器正在运行。请关闭其窗口后重试。"
LangString NOT_OURS ${LANG_ENGLISH} "There is no installation of ${NAME} in $INSTDIR; nothing was removed."
LangString NOT_OURS ${LANG_SIMPCHINESE} "$INSTDIR 中没有安装 MFU 计算器，未删除任何文件。"
LangString SHORTCUT ${LANG_ENGLISH} "${NAME}"
LangString SHORTCUT ${LANG_SIMPCHINESE} "MFU 计算器"
LangString FILE_TYPE ${LANG_ENGLISH} "MFU scenario"
LangString FILE_TYPE ${LANG_SIMPCHINESE} "MFU 方案"
LangString WORKSPACE_TYPE ${LANG_ENGLISH} "MFU workspace"
LangString WORKSPACE_TYPE ${LANG_SIMPCHINESE} "MFU 工作区"

; A file type. Another program that already opens such files keeps them; ours is then in the list “Open with”.
!macro REGISTER_TYPE ID TITLE ENDING MIME
  WriteRegStr HKCU "Software\Classes\${ID}" "" "${TITLE}"
  WriteRegStr HKCU "Software\Classes\${ID}\DefaultIcon" "" "$INSTDIR\${EXE},1"
  WriteRegStr HKCU "Software\Classes\${ID}\shell\open\command" "" '"$INSTDIR\${EXE}" "%1"'
  WriteRegStr HKCU "Software\Classes\${ENDING}\OpenWithProgids" "${ID}" ""
  WriteRegStr HKCU "Software\Classes\${ENDING}" "Content Type" "${MIME}"
  ReadRegStr $0 HKCU "Software\Classes\${ENDING}" ""
  ${If} $0 == ""
    WriteRegStr HKCU "Software\Classes\${ENDING}" "" "${ID}"
  ${EndIf}
!macroend

; What another program wrote beside it stays.
!macro FORGET_TYPE ID ENDING MIME
  ReadRegStr $0 HKCU "Software\Classes\${ENDING}" ""
  ${If} $0 == "${ID}"
    DeleteRegValue HKCU "Software\Classes\${ENDING}" ""
  ${EndIf}
  ReadRegStr $0 HKCU "Software\Classes\${ENDING}" "Content Type"
  ${If} $0 == "${MIME}"
    DeleteRegValue HKCU "Software\Classes\${ENDING}" "Content Type"
  ${EndIf}
  DeleteRegValue HKCU "Software\Classes\${ENDING}\OpenWithProgids" "${ID}"
  DeleteRegKey /ifempty HKCU "Software\Classes\${ENDING}\OpenWithProgids"
  ; Not when a value of another program is left in it.
  ClearErrors
  EnumRegValue $0 HKCU "Software\Classes\${ENDING}" 0
  ${If} $0 == ""
    DeleteRegKey /ifempty HKCU "Software\Classes\${ENDING}"
  ${EndIf}
  DeleteRegKey HKCU "Software\Classes\${ID}"
!macroend

VIProductVersion "${NUMBERS}"
!macro VERSION_TEXTS LANGUAGE TITLE
  VIAddVersionKey /LANG=${LANGUAGE} "ProductName" "${TITLE}"
  VIAddVersionKey /LANG=${LANGUAGE} "FileDescription" "${TITLE} ${VERSION}"
  VIAddVersionKey /LANG=${LANGUAGE} "FileVersion" "${VERSION}"
  VIAddVersionKey /LANG=${LANGUAGE} "ProductVersion" "${VERSION}"
  VIAddVersionKey /LANG=${LANGUAGE} "CompanyName" "MFU Calculator contributors"
  VIAddVersionKey /LANG=${LANGUAGE} "LegalCopyright" "${YEAR} MFU Calculator contributors"
!macroend
!insertmacro VERSION_TEXTS ${LANG_ENGLISH} "${NAME}"
!insertmacro VERSION_TEXTS ${LANG_SIMPCHINESE} "MFU 计算器"

; What cannot go on says why, in a silent run by the exit status alone, and ends.
!macro STOP TEXT STATUS
  MessageBox MB_OK|MB_ICONSTOP "${TEXT}" /SD IDOK
  SetErrorLevel ${STATUS}
  Quit
!macroend

; An old _internal is renamed first, as a whole: that fails when a program in it runs, and then nothing has changed.
!macro MOVE_AWAY UN
  Function ${UN}MoveAway
    RMDir /r "$INSTDIR\_internal.old"
    again:
    ClearErrors
    Rename "$INSTDIR\_internal" "$INSTDIR\_internal.old"
    IfErrors 0 moved
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IN_USE)" /SD IDCANCEL IDRETRY again
    SetErrorLevel 3
    Quit
    moved:
  FunctionEnd
!macroend
!insertmacro MOVE_AWAY ""
!insertmacro MOVE_AWAY "un."

Function .onInit
  ${IfNot} ${AtLeastWin10}
  ${OrIfNot} ${RunningX64}
    !insertmacro STOP "$(TOO_OLD)" 2
  ${EndIf}
  SetRegView 64
  !insertmacro MUI_LANGDLL_DISPLAY
FunctionEnd

Function un.onInit
  SetRegView 64
  !insertmacro MUI_UNGETLANGUAGE
FunctionEnd

; 1 in $0 when the folder can be used: it is new, empty, or holds an installation of this program.
Function FolderIsFree
  StrCpy $0 1
  ${If} ${FileExists} "$INSTDIR\${MARK}"
    Return
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\*.*"
    ${DirState} "$INSTDIR" $1
    ${If} $1 = 1
      StrCpy $0 0
    ${EndIf}
  ${EndIf}
FunctionEnd

Function CheckFolder
  Call FolderIsFree
  ${If} $0 = 0
    MessageBox MB_OK|MB_ICONEXCLAMATION "$(NOT_EMPTY)"
    Abort
  ${EndIf}
FunctionEnd

Section
  Call FolderIsFree
  ${If} $0 = 0
    !insertmacro STOP "$(NOT_EMPTY)" 2
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\${MARK}"
    Call MoveAway
  ${EndIf}
  SetOverwrite on
  !include "${FILES}"
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  RMDir /r "$INSTDIR\_internal.old"

  CreateShortcut "$SMPROGRAMS\$(SHORTCUT).lnk" "$INSTDIR\${EXE}"
  WriteRegStr HKCU "${SETTINGS_KEY}" "InstallFolder" "$INSTDIR"
  WriteRegStr HKCU "${SETTINGS_KEY}" "Shortcut" "$(SHORTCUT).lnk"

  !insertmacro REGISTER_TYPE "${TYPE}" "$(FILE_TYPE)" ".mfu" "application/x-mfu-scenario+json"
  !insertmacro REGISTER_TYPE "${WORKSPACE}" "$(WORKSPACE_TYPE)" ".mfuw" "application/x-mfu-workspace+json"
  WriteRegStr HKCU "Software\Classes\Applications\${EXE}\shell\open\command" "" '"$INSTDIR\${EXE}" "%1"'
  WriteRegStr HKCU "Software\Classes\Applications\${EXE}\SupportedTypes" ".mfu" ""
  WriteRegStr HKCU "Software\Classes\Applications\${EXE}\SupportedTypes" ".mfuw" ""
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\${CONSOLE_EXE}" "" "$INSTDIR\${CONSOLE_EXE}"

  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "$(SHORTCUT)"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\${EXE}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "MFU Calculator contributors"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  ${RefreshShellIcons}
SectionEnd

Section "Uninstall"
  ${IfNot} ${FileExists} "$INSTDIR\${MARK}"
    !insertmacro STOP "$(NOT_OURS)" 2
  ${EndIf}
  Call un.MoveAway
  RMDir /r "$INSTDIR\_internal.old"
  Delete "$INSTDIR\${EXE}"
  Delete "$INSTDIR\${CONSOLE_EXE}"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\README.txt"
  Delete "$INSTDIR\uninstall.exe"
  ; Only if nothing of anybody else is in it.
  RMDir "$INSTDIR"

  ReadRegStr $0 HKCU "${SETTINGS_KEY}" "Shortcut"
  ${If} $0 != ""
    Delete "$SMPROGRAMS\$0"
  ${EndIf}
  !insertmacro FORGET_TYPE "${TYPE}" ".mfu" "application/x-mfu-scenario+json"
  !insertmacro FORGET_TYPE "${WORKSPACE}" ".mfuw" "application/x-mfu-workspace+json"
  DeleteRegKey HKCU "Software\Classes\Applications\${EXE}"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\${CONSOLE_EXE}"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  DeleteRegKey HKCU "${SETTINGS_KEY}"
  ${RefreshShellIcons}
SectionEnd
